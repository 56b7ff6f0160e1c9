import type { MarkdownIt, StateBlock } from 'markdown-it';
import { pushParagraph } from './push-paragraph.js';

/**
 * The parser fills short rows up to the number of columns: a few characters a row become hundreds of cells.
 * A message of 10,000 characters holds 5,000 cells that somebody wrote, at most.
 */
const MOST_CELLS = 5000;
const DELIMITER_ROW = /^[-:|\t ]+$/;

/** Shows a table of more cells as it was written. Use it before other plugins: it takes the first block rule. */
export function tableLimit(parser: MarkdownIt): void {
  const [table] = parser.block.ruler.getRules('');
  parser.block.ruler.before('table', 'table_limit', (state, startLine, endLine) => {
    const columns = columnsAt(state, startLine + 1, endLine);
    if (columns === 0) return false;
    let line = startLine + 2;
    while (line < endLine && belongsToBlock(state, line)) line += 1;
    if (columns * (line - startLine) <= MOST_CELLS) return false;
    if (table?.(state, startLine, endLine, true) !== true) return false;
    pushParagraph(state, startLine, line);
    return true;
  });
}

/** The number of columns that a line gives a table; 0 where it is no delimiter row. */
function columnsAt(state: StateBlock, line: number, endLine: number): number {
  if (line >= endLine) return 0;
  const row = state.src.slice(
    (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0),
    state.eMarks[line],
  );
  if (!row.includes('|') || !DELIMITER_ROW.test(row)) return 0;
  return row.match(/[-:]+/g)?.length ?? 0;
}

/** A line without text ends a table, and one that is indented less ends the list that holds it. */
const belongsToBlock = (state: StateBlock, line: number): boolean =>
  !state.isEmpty(line) && (state.sCount[line] ?? 0) >= state.blkIndent;
