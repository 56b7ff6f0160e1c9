/** Where PostgreSQL marks a match. Unicode reserves these characters, so no text has them for another reason. */
export const MATCH_STARTS = '\u{fdd0}';
export const MATCH_ENDS = '\u{fdd1}';

const OPEN = '<span class="highlight">';
const CLOSE = '</span>';

/** HTML whose marked matches become elements. Marks inside of a tag are removed, and an element ends before a tag. */
export function highlighted(marked: string): string {
  const parts: string[] = [];
  let isOpen = false;
  let tag: Tag | null = null;
  let from = 0;
  const take = (end: number, more: string) => {
    parts.push(marked.slice(from, end), more);
    from = end;
  };
  const close = (end: number) => {
    take(end, isOpen ? CLOSE : '');
    isOpen = false;
  };
  for (let at = 0; at < marked.length; at += 1) {
    const character = marked.charAt(at);
    if (character === MATCH_STARTS || character === MATCH_ENDS) {
      close(at);
      isOpen = character === MATCH_STARTS && tag === null;
      if (isOpen) parts.push(OPEN);
      from = at + 1;
    } else if (tag !== null) {
      tag = behind(tag, character);
    } else if (character === '<') {
      close(at);
      tag = 'outside';
    }
  }
  close(marked.length);
  return parts.join('');
}

/** The quote around an attribute of a tag, if any. */
type Tag = 'outside' | '"' | "'";

/** The state behind a character of a tag; null behind its end. */
function behind(tag: Tag, character: string): Tag | null {
  if (tag !== 'outside') return character === tag ? 'outside' : tag;
  if (character === '>') return null;
  return character === '"' || character === "'" ? character : 'outside';
}
