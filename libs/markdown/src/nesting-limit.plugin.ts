import type { MarkdownIt } from 'markdown-it';
import { pushParagraph } from './push-paragraph.js';

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
    pushParagraph(state, startLine, line);
    return true;
  });
}
