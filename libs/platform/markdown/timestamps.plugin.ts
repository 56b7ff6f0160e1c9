import type { MarkdownIt } from 'markdown-it';
import { timeOf } from './time-text.rules.js';

const LESS_THAN = 0x3c;
const TIME = /<time:([^>\n]{1,100})>/y;

/**
 * `<time:2026-01-05T09:00:00Z>`: a time that clients show in the time zone of the reader. One that cannot be read is
 * shown as it was written.
 */
export function timestamps(parser: MarkdownIt): void {
  parser.inline.ruler.before('autolink', 'timestamp', (state, isSilent) => {
    if (state.src.charCodeAt(state.pos) !== LESS_THAN) return false;
    TIME.lastIndex = state.pos;
    const [source, written] = TIME.exec(state.src) ?? [];
    if (source === undefined || written === undefined) return false;
    if (state.pos + source.length > state.posMax) return false;
    const time = timeOf(written);
    if (!isSilent && time === undefined) state.pending += source;
    if (!isSilent && time !== undefined) {
      const token = state.push('timestamp', 'time', 0);
      token.attrs = [['datetime', time.toISOString().replace(/\.\d+Z$/, 'Z')]];
      token.content = written;
    }
    state.pos += source.length;
    return true;
  });
}
