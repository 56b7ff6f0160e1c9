/** In characters, as the contract counts them: code points. */
const LONGEST_TEXT = 200;

/** The beginning of a text, at most `limit` characters of it; what is left out is shown by an ellipsis. */
export function cutText(text: string, limit = LONGEST_TEXT): string {
  // Nothing that is short in halves of characters is long in wholes, and a long text need not be counted.
  if (text.length <= limit) return text;
  const characters = Array.from(text.slice(0, 2 * limit + 1));
  return characters.length <= limit ? text : `${characters.slice(0, limit).join('')}…`;
}
