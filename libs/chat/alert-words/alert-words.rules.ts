/** Letters, digits and underscores: the neighbours that make a word part of a longer one. */
const RUN = /[\p{L}\p{N}\p{M}_]+/gu;
const OF_RUN = /[\p{L}\p{N}\p{M}_]/u;

/** The form of a word or of a text that does not depend on case. */
export const fold = (text: string): string => text.normalize('NFC').toLowerCase();

/** The first run of a folded word; empty for a word of other characters only. A text with the word has the same run. */
export const firstRunOf = (folded: string): string => firstOf(folded.matchAll(RUN));

const firstOf = (matches: Iterable<RegExpMatchArray>): string => {
  for (const [run] of matches) return run;
  return '';
};

/** The runs of a folded text, each once, and the empty text: the words of a text begin with one of them. */
export const runsOf = (folded: string): string[] => [
  '',
  ...new Set(Array.from(folded.matchAll(RUN), ([run]) => run)),
];

/** Whether a folded text has a folded word or phrase that is not part of a longer word. */
export function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    if (!isPartBefore(text, word, at) && !isPartAfter(text, word, at + word.length)) return true;
  }
  return false;
}

const isPartBefore = (text: string, word: string, start: number): boolean =>
  OF_RUN.test(firstCharacterOf(word)) && OF_RUN.test(lastCharacterOf(text, start));

const isPartAfter = (text: string, word: string, end: number): boolean =>
  OF_RUN.test(lastCharacterOf(word, word.length)) &&
  OF_RUN.test(firstCharacterOf(text.slice(end, end + 2)));

const firstCharacterOf = (text: string): string => String.fromCodePoint(text.codePointAt(0) ?? 0);

/** The character that ends at an index; characters beyond 16 bits have two units. */
function lastCharacterOf(text: string, end: number): string {
  const [before, last] = [text.charCodeAt(end - 2), text.charCodeAt(end - 1)];
  const isPair = before >= 0xd800 && before < 0xdc00 && last >= 0xdc00 && last < 0xe000;
  return text.slice(Math.max(0, end - (isPair ? 2 : 1)), end);
}
