/**
 * The one form of a Unicode emoji's code: lower case, and without the variation selector, which clients
 * put in or leave out at will.
 */
export const normalizeEmojiCode = (code: string): string =>
  code
    .toLowerCase()
    .split('-')
    .filter((codePoint) => codePoint !== 'fe0f')
    .join('-');
