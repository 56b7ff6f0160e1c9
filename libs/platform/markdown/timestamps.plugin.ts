import type { MarkdownIt } from 'markdown-it';

const LESS_THAN = 0x3c;
const TIME =
  /<time:(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:Z|[+-]\d{2}:?\d{2}))>/y;

/** `<time:2026-01-05T09:00:00Z>`: a time that clients show in the time zone of the reader. */
export function timestamps(parser: MarkdownIt): void {
  parser.inline.ruler.before('autolink', 'timestamp', (state, isSilent) => {
    if (state.src.charCodeAt(state.pos) !== LESS_THAN) return false;
    TIME.lastIndex = state.pos;
    const [source, written] = TIME.exec(state.src) ?? [];
    if (source === undefined || written === undefined) return false;
    const time = new Date(written);
    if (Number.isNaN(time.getTime()) || state.pos + source.length > state.posMax) return false;
    if (!isSilent) {
      const token = state.push('timestamp', 'time', 0);
      token.attrs = [['datetime', time.toISOString().replace(/\.\d+Z$/, 'Z')]];
      token.content = written;
    }
    state.pos += source.length;
    return true;
  });
}
