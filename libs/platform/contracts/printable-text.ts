// Controls, halves of surrogate pairs, code points without a character, ends of lines, letters that show nothing, and characters
// that only change how others look, above all those that turn the direction of a text. Joiners stay: Persian, the scripts of
// India and emoji need them.
const UNPRINTABLE =
  /[\p{Cc}\p{Cs}\p{Cn}\p{Zl}\p{Zp}\u115F\u1160\u3164\uFFA0]|(?![\u200C\u200D])\p{Cf}/u;

/** Letters, digits, punctuation and symbols, except for the empty pattern of Braille. */
const VISIBLE = /(?!\u2800)[\p{L}\p{N}\p{P}\p{S}]/u;

/**
 * The position of the first character that cannot be shown, or that hides others, counted from 1; 1 for a text that shows
 * nothing; null for any other text.
 */
export function firstUnprintable(text: string): number | null {
  const index = [...text].findIndex((character) => UNPRINTABLE.test(character));
  if (index >= 0) return index + 1;
  return VISIBLE.test(text) ? null : 1;
}

// Joiners and variation selectors stay: they change how the letters and emoji beside them look.
const HIDING =
  /(?![\u034F\u200C\u200D]|\p{Variation_Selector})\p{Default_Ignorable_Code_Point}|[\uFFF9-\uFFFB]/gu;

/**
 * A text without the invisible characters that hide others, above all those that turn the direction of a text. For texts
 * that programs send as well, which would be lost if they were refused.
 */
export const withoutHiding = (text: string): string => text.replaceAll(HIDING, '');

/** Cyrillic and Greek letters that look like a Latin one, as a small or as a capital letter, and that letter. */
const LOOK_ALIKE = new Map(
  [...'авеѕіјкмнорстухԁԛԝһүӏαβεζηικμνορτυχ'].map((letter, index) => [
    letter,
    'abesijkmhopctyxdqwhylabezhikmnoptyx'[index] ?? letter,
  ]),
);

/** The key by which names are compared; the SQL function `name_key` makes the same one for stored names. */
export const nameKey = (name: string): string =>
  name
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .normalize('NFKC')
    .toUpperCase()
    .toLowerCase()
    .replaceAll(/[\u0370-\u052F]/g, (letter) => LOOK_ALIKE.get(letter) ?? letter)
    .replaceAll(/\s+/g, ' ')
    .trim();

/** The names of the accounts of the server, and of wildcard mentions. */
const RESERVED: ReadonlySet<string> = new Set([
  'notification bot',
  'welcome bot',
  'all',
  'everyone',
  'channel',
  'stream',
  'topic',
]);

/** Whether people could take an account or a group with this name for the server or for everybody. */
export const isReservedName = (name: string): boolean => RESERVED.has(nameKey(name));
