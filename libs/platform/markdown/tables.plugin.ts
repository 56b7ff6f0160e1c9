import type { MarkdownIt, StateCore, Token } from 'markdown-it';
import { mayConvert } from './environment.js';

/**
 * Tables in the form that clients parse: the style of aligned cells has a space and a semicolon, and a body has a row. Use it
 * after `fencedBlocks`, whose quotes may have tables.
 */
export function tables(parser: MarkdownIt): void {
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
