// Controls, halves of surrogate pairs, and code points without a character.
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Cn}]/u;

/** The position of the first character that cannot be shown, counted from 1; null if all can be shown. */
export function firstUnprintable(text: string): number | null {
  const index = [...text].findIndex((character) => UNPRINTABLE.test(character));
  return index < 0 ? null : index + 1;
}
