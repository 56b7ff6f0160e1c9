import { parse, type parseRule } from 'uri-template';

/** The one variable of a template: the code that is to be tried. */
const VARIABLE = 'code';
/** Clients open what the template becomes: it must be a page, and no script. */
const WEB_ADDRESS = /^https?:\/\/[^\s/?#{]/i;

/** What no address holds as it is, and the parser lets pass. */
const STRAY = /[\s}\p{Cc}]/u;

/** In characters: as much of a value may `{code:length}` take. */
const LONGEST_PREFIX = 9999;

export type UrlTemplateFault =
  'invalidUrlTemplate' | 'codeVariableMissing' | 'otherVariablesInTemplate';

/** What is wrong with a URL template of RFC 6570 that is to take code; null when nothing is. */
export function urlTemplateFault(template: string): UrlTemplateFault | null {
  const variables = variablesOf(template);
  if (variables === null || !WEB_ADDRESS.test(template)) return 'invalidUrlTemplate';
  if (!variables.has(VARIABLE)) return 'codeVariableMissing';
  return variables.size > 1 ? 'otherVariablesInTemplate' : null;
}

/** The names of the variables; null when it is no template. */
function variablesOf(template: string): ReadonlySet<string> | null {
  try {
    const names = new Set<string>();
    for (const part of parse(template).ast.parts) {
      if (part.type === 'literal' && STRAY.test(part.value)) return null;
      if (part.type === 'expression') {
        if (part.variables.some(isBeyondStandard)) return null;
        for (const { name } of part.variables) names.add(name);
      }
    }
    return names;
  } catch {
    return null;
  }
}

type Variable = ReturnType<typeof parseRule<'variable'>>;

/** The parser takes prefixes of any length, and notes in parentheses that it alone knows of. */
function isBeyondStandard({ modifier, extension }: Variable): boolean {
  // The parser gives null for what is not there, whatever its types say.
  if (extension) return true;
  return modifier?.type === 'substr' && (modifier.length < 1 || modifier.length > LONGEST_PREFIX);
}
