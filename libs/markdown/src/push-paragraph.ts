import type { StateBlock } from 'markdown-it';

/** Makes a paragraph of the lines from `startLine` to before `endLine`, and moves the parser behind them. */
export function pushParagraph(state: StateBlock, startLine: number, endLine: number): void {
  state.push('paragraph_open', 'p', 1);
  const text = state.push('inline', '', 0);
  text.content = state.getLines(startLine, endLine, state.blkIndent, false).trim();
  text.children = [];
  state.push('paragraph_close', 'p', -1);
  state.line = endLine;
}
