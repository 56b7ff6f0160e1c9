import type { MarkdownIt, StateBlock, StateCore, Token } from 'markdown-it';
import { mayConvert } from './environment.js';
import { ruleNamed } from './parser-rules.js';

/** A bar in code while the cells of a table are divided; no text has this character. */
const BAR_IN_CODE = '\uFFFF';
const DELIMITER_ROW = /^[-:|\t ]+$/;
const CODE = /(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)/g;

/**
 * Tables in the form that clients parse: the style of aligned cells has a space and a semicolon, and a body has a row. Use it
 * after `fencedBlocks`, whose quotes may have tables.
 */
export function tables(parser: MarkdownIt): void {
  const table = ruleNamed(parser.block.ruler, 'table');
  parser.block.ruler.at(
    'table',
    (state, startLine, endLine, isSilent) => {
      const { src, tokens } = state;
      const before = tokens.length;
      state.src = withoutBarsInCode(state, startLine, endLine);
      const isFound = table(state, startLine, endLine, isSilent);
      state.src = src;
      for (const token of tokens.slice(before)) {
        token.content = token.content.replaceAll(BAR_IN_CODE, '|');
      }
      return isFound;
    },
    { alt: ['paragraph', 'reference'] },
  );
  parser.core.ruler.after('fences_of_markdown', 'tables', (state) => {
    let columns = 0;
    state.tokens = state.tokens.flatMap((token, index) => {
      if (token.type === 'table_open') columns = 0;
      if (token.type === 'th_open') columns += 1;
      if (token.tag === 'th' || token.tag === 'td') align(state, token);
      const isBodyMissing =
        token.type === 'table_close' && state.tokens[index - 1]?.type === 'thead_close';
      return isBodyMissing ? [...emptyBody(state, columns), token] : [token];
    });
  });
}

/** The source with another character of the same length for bars in code, which do not divide the cells of a table. */
function withoutBarsInCode(state: StateBlock, startLine: number, endLine: number): string {
  const { src, bMarks, eMarks } = state;
  const delimiters = src.slice(bMarks[startLine + 1], eMarks[startLine + 1]);
  if (startLine + 1 >= endLine || !DELIMITER_ROW.test(delimiters)) return src;
  let line = startLine + 1;
  while (line + 1 < endLine && !state.isEmpty(line + 1)) line += 1;
  const [start, end] = [bMarks[startLine] ?? 0, eMarks[line] ?? src.length];
  const rows = src.slice(start, end);
  if (!rows.includes('`')) return src;
  const masked = rows.replaceAll(CODE, (code) => code.replaceAll('|', BAR_IN_CODE));
  return src.slice(0, start) + masked + src.slice(end);
}

/** Cells for which the rendering has no room left are not aligned. */
function align(state: StateCore, cell: Token): void {
  const style = cell.attrGet('style');
  if (style === null) return;
  const isAligned = mayConvert(state.env, 'alignments', 1);
  cell.attrs = isAligned ? [['style', `${String(style).replace(':', ': ')};`]] : null;
}

function emptyBody(state: StateCore, columns: number): Token[] {
  const edge = (tag: string, nesting: -1 | 1): Token => {
    const token = new state.Token(`${tag}_${nesting === 1 ? 'open' : 'close'}`, tag, nesting);
    token.block = true;
    return token;
  };
  const cells = Array.from({ length: columns }, () => [edge('td', 1), edge('td', -1)]);
  return [edge('tbody', 1), edge('tr', 1), ...cells.flat(), edge('tr', -1), edge('tbody', -1)];
}
