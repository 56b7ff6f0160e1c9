/** The colours of channels for which a subscriber has chosen none. */
const PALETTE = [
  '#76ce90',
  '#5b8def',
  '#e07a5f',
  '#b388eb',
  '#f2b134',
  '#4fb3bf',
  '#d9648f',
  '#8aa936',
  '#9a7b5f',
  '#6f7fd8',
  '#e39a4b',
  '#57a773',
] as const;

/** The colour of a channel for a new subscriber who has chosen none. */
export const defaultColor = (channelId: number): string =>
  PALETTE[channelId % PALETTE.length] ?? PALETTE[0];

const HEX = /^#(?:[\da-f]{3}|[\da-f]{6})$/iu;

/** Whether the text is a colour: `#` with three or six hexadecimal digits. */
export const isColor = (given: string): boolean => HEX.test(given);

/** A colour with six digits in lower case. */
export function normalColor(color: string): string {
  const lower = color.toLowerCase();
  if (lower.length !== 4) return lower;
  return lower.replaceAll(/[\da-f]/gu, '$&$&');
}
