/** Where PostgreSQL marks a match. Unicode reserves these characters, so no text has them for another reason. */
export const MATCH_STARTS = '\u{fdd0}';
export const MATCH_ENDS = '\u{fdd1}';

const OPEN = '<span class="highlight">';
const CLOSE = '</span>';

/** The matches that become elements; nobody looks at more, and each makes the HTML longer. */
const MAX_ELEMENTS = 200;

/** The bytes of JSON that an element adds. */
export const MARK_BYTES = JSON.stringify(OPEN).length + CLOSE.length;

/** The most that the elements of a message and its topic add. */
export const MAX_MARKS_BYTES = 2 * MAX_ELEMENTS * MARK_BYTES;

/**
 * HTML whose first marked matches become elements. Marks inside of a tag are removed, and an element ends before a tag. The
 * HTML has `<` and `>` only around tags.
 */
export function highlighted(marked: string): string {
  const [before = '', ...pieces] = marked.split(MATCH_STARTS);
  let html = before.replaceAll(MATCH_ENDS, '');
  let isInTag = endsInTag(before, false);
  let elements = 0;
  for (const piece of pieces) {
    const [match = '', ...rest] = piece.split(MATCH_ENDS);
    if (isInTag || elements === MAX_ELEMENTS) {
      html += match;
    } else {
      const tagAt = match.indexOf('<');
      const text = tagAt === -1 ? match : match.slice(0, tagAt);
      html += `${OPEN}${text}${CLOSE}${match.slice(text.length)}`;
      elements += 1;
    }
    html += rest.join('');
    isInTag = endsInTag(piece, isInTag);
  }
  return html;
}

/** Whether the end of a text is inside of a tag. */
function endsInTag(text: string, beginsInTag: boolean): boolean {
  const [opened, closed] = [text.lastIndexOf('<'), text.lastIndexOf('>')];
  return opened === closed ? beginsInTag : opened > closed;
}
