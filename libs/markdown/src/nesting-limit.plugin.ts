import type { MarkdownIt } from 'markdown-it';

/** Levels of quotes and lists within each other; a list takes two. */
const DEEPEST_LEVEL = 20;

/** Shows what is nested deeper as it was written, where the parser would leave it out. */
export function nestingLimit(parser: MarkdownIt): void {
  parser.block.ruler.before('table', 'nesting_limit', (state, startLine, endLine, isSilent) => {
    if (state.level < DEEPEST_LEVEL) return false;
    if (isSilent) return true;
    let line = startLine + 1;
    while (line < endLine && !state.isEmpty(line) && (state.sCount[line] ?? 0) >= state.blkIndent) {
      line += 1;
    }
    state.push('paragraph_open', 'p', 1);
    const text = state.push('inline', '', 0);
    text.content = state.getLines(startLine, line, state.blkIndent, false).trim();
    text.children = [];
    state.push('paragraph_close', 'p', -1);
    state.line = line;
    return true;
  });
}
