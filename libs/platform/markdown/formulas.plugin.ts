import type { Env, MarkdownIt, StateInline } from 'markdown-it';
import { mayConvert } from './environment.js';
import { katex } from './libraries.js';

const DOLLAR = 0x24;
const FORMULA = /\$\$(?!\$)([^\n_$](?:\\\$|[^$\n])*)\$\$(?!\$)/y;
const WORD = /^\w$/;

/** The costs of a formula besides its length: a fixed one, and one for each command, group and column. */
const FIXED_COST = 15;
const COST_OF_MARK = 3;
const MARK = /[\\{&]/g;

/**
 * `$$x^2$$` in a line, and fences in the language `math`, in which an empty line divides formulas. A formula that KaTeX
 * refuses, and one for which the rendering has no room left, is shown as its source.
 */
export function formulas(parser: MarkdownIt): void {
  parser.inline.ruler.before('escape', 'formula', formula);
  parser.renderer.rules['formula'] = (tokens, index, _options, environment) => {
    const source = tokens[index]?.content ?? '';
    return formulaHtml(source, environment, false) ?? errorHtml(parser, `$$${source}$$`);
  };
  const code = parser.renderer.rules['fence'];
  parser.renderer.rules['fence'] = (tokens, index, options, environment, renderer) => {
    const token = tokens[index];
    if (token?.info !== 'math') return code?.(tokens, index, options, environment, renderer) ?? '';
    const parts = token.content
      .trim()
      .split(/\n{2,}/)
      .map((source) => formulaHtml(source, environment, true) ?? errorHtml(parser, source));
    return `<p>${parts.join('\n\n')}</p>\n`;
  };
}

function formula(state: StateInline, isSilent: boolean): boolean {
  if (state.src.charCodeAt(state.pos) !== DOLLAR) return false;
  const isAfter = (character: string): boolean => WORD.test(character) || character === '$';
  if (isAfter(state.src.charAt(state.pos - 1))) return false;
  FORMULA.lastIndex = state.pos;
  const [source, content] = FORMULA.exec(state.src) ?? [];
  if (source === undefined || content === undefined) return false;
  const end = state.pos + source.length;
  if (end > state.posMax || WORD.test(state.src.charAt(end))) return false;
  if (!isSilent) state.push('formula', 'span', 0).content = content;
  state.pos = end;
  return true;
}

function formulaHtml(
  source: string,
  environment: Env | undefined,
  displayMode: boolean,
): string | null {
  const marks = source.match(MARK)?.length ?? 0;
  const cost = FIXED_COST + source.length + COST_OF_MARK * marks;
  if (!mayConvert(environment, 'formulas', cost)) return null;
  try {
    // A trusted formula could have links, and macros without a limit could expand without end.
    return withoutConsole(() =>
      katex().renderToString(source, {
        displayMode,
        trust: false,
        strict: 'ignore',
        maxExpand: 100,
        maxSize: 20,
      }),
    );
  } catch {
    return null;
  }
}

const ignore = (): void => undefined;

/** KaTeX writes texts of users to the console (`\message`, unusual characters), which is the log of a program. */
function withoutConsole<Result>(run: () => Result): Result {
  const { log, warn, error } = console;
  Object.assign(console, { log: ignore, warn: ignore, error: ignore });
  try {
    return run();
  } finally {
    Object.assign(console, { log, warn, error });
  }
}

const errorHtml = (parser: MarkdownIt, source: string): string =>
  `<span class="tex-error">${parser.utils.escapeHtml(source)}</span>`;
