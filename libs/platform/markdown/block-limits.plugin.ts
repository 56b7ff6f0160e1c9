import type { MarkdownIt, StateBlock } from 'markdown-it';

/** The nesting depth of quotes and lists; a list takes two levels. */
const MAX_LEVEL = 20;

/**
 * The rows and cells of a table, each of which becomes an element; the parser pads short rows to the number of columns.
 * The table takes some 35 ms at this limit. In 10,000 characters, its cells have three characters each.
 */
const MAX_TABLE_ELEMENTS = 3000;
const DELIMITER_ROW = /^[-:|\t ]+$/;

/**
 * Shows blocks that are nested too deep, and tables with too many rows and cells, as plain text. Use it before other plugins: it
 * takes the first block rule, which is that of tables.
 */
export function blockLimits(parser: MarkdownIt): void {
  const [table] = parser.block.ruler.getRules('');
  parser.block.ruler.before('table', 'table_limit', (state, startLine, endLine) => {
    const columns = columnsAt(state, startLine + 1, endLine);
    if (columns === 0) return false;
    const end = endOfBlock(state, startLine + 2, endLine);
    if ((columns + 1) * (end - startLine) <= MAX_TABLE_ELEMENTS) return false;
    if (table?.(state, startLine, endLine, true) !== true) return false;
    pushParagraph(state, startLine, end);
    return true;
  });
  parser.block.ruler.before('table', 'nesting_limit', (state, startLine, endLine, isSilent) => {
    if (state.level < MAX_LEVEL) return false;
    if (!isSilent) pushParagraph(state, startLine, endOfBlock(state, startLine + 1, endLine));
    return true;
  });
}

/** The number of columns that a delimiter row gives a table; 0 for any other line. */
function columnsAt(state: StateBlock, line: number, endLine: number): number {
  if (line >= endLine) return 0;
  const row = state.src.slice(
    (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0),
    state.eMarks[line],
  );
  if (!row.includes('|') || !DELIMITER_ROW.test(row)) return 0;
  return row.match(/[-:]+/g)?.length ?? 0;
}

/** The first line from `line` that is empty or less indented than the block: it ends the block or the list around it. */
function endOfBlock(state: StateBlock, line: number, endLine: number): number {
  let end = line;
  while (end < endLine && !state.isEmpty(end) && (state.sCount[end] ?? 0) >= state.blkIndent) {
    end += 1;
  }
  return end;
}

/** Turns the lines from `startLine` to before `endLine` into a paragraph, and moves the parser behind them. */
function pushParagraph(state: StateBlock, startLine: number, endLine: number): void {
  state.push('paragraph_open', 'p', 1);
  const text = state.push('inline', '', 0);
  text.content = state.getLines(startLine, endLine, state.blkIndent, false).trim();
  text.children = [];
  state.push('paragraph_close', 'p', -1);
  state.line = endLine;
}
