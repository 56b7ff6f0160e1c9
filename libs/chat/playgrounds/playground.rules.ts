import { parse, type parseRule } from 'uri-template';
import { ApiError, type CataloguedError } from '#platform/contracts';
import type { NewPlayground } from './playground.repository.js';
import { playgroundErrors } from './playgrounds.errors.js';

/** The member of `errors` for an error of the whole playground. */
const WHOLE = '__all__';
/** The characters in names of Pygments lexers. */
const LANGUAGE = /^[ a-zA-Z0-9_+,\-./#]*$/;

type FieldErrors = Readonly<Record<string, CataloguedError>>;

/** Throws ApiError for an invalid playground; the error lists every invalid field. */
export function checkPlayground({ name, pygmentsLanguage, urlTemplate }: NewPlayground): void {
  if (!LANGUAGE.test(pygmentsLanguage))
    throw new ApiError(playgroundErrors.invalidPygmentsLanguage);
  const templateError =
    urlTemplate === '' ? playgroundErrors.blankPlaygroundField : urlTemplateError(urlTemplate);
  const errors: FieldErrors = {
    ...(name === '' && { name: playgroundErrors.blankPlaygroundField }),
    ...(pygmentsLanguage === '' && { pygments_language: playgroundErrors.blankPlaygroundField }),
    ...(templateError !== null && { url_template: templateError }),
  };
  if (Object.keys(errors).length > 0) throw validationError(errors);
}

/** The error for a duplicate: the language already has a playground with this name. */
export const playgroundExists = (): ApiError =>
  validationError({ [WHOLE]: playgroundErrors.playgroundExists });

/** An error with the message of the first field error, and all messages by field in `errors`. */
function validationError(fieldErrors: FieldErrors): ApiError {
  const [first = playgroundErrors.invalidUrlTemplate] = Object.values(fieldErrors);
  const errors = Object.entries(fieldErrors).map(([field, error]) => [
    field,
    [new ApiError(error).message],
  ]);
  return new ApiError(first, {}, { errors: Object.fromEntries(errors) });
}

/** The only variable of a template. */
const VARIABLE = 'code';
/** Clients open the expanded template, so it must be a web address and never a script. */
const WEB_ADDRESS = /^https?:\/\/[^\s/?#{]/i;

/** Characters that are invalid in URLs but accepted by the parser. */
const INVALID_LITERAL = /[\s}\p{Cc}]/u;

/** The maximum `length` in `{code:length}`, in characters. */
const LONGEST_PREFIX = 9999;

/** Checks a URL template (RFC 6570) with the variable `code`; null when it is valid. */
export function urlTemplateError(template: string): CataloguedError | null {
  const variables = variablesOf(template);
  if (variables === null || !WEB_ADDRESS.test(template)) return playgroundErrors.invalidUrlTemplate;
  if (!variables.has(VARIABLE)) return playgroundErrors.codeVariableMissing;
  return variables.size > 1 ? playgroundErrors.otherVariablesInTemplate : null;
}

/** The names of the variables in a template; null for an invalid template. */
function variablesOf(template: string): ReadonlySet<string> | null {
  try {
    const names = new Set<string>();
    for (const part of parse(template).ast.parts) {
      if (part.type === 'literal' && INVALID_LITERAL.test(part.value)) return null;
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

/** The parser accepts prefixes of any length and an extension in parentheses; RFC 6570 allows neither. */
function isBeyondStandard({ modifier, extension }: Variable): boolean {
  // Contrary to its types, the parser returns null for a missing part.
  if (extension) return true;
  return modifier?.type === 'substr' && (modifier.length < 1 || modifier.length > LONGEST_PREFIX);
}
