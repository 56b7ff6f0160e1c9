/** The modifiers of skin tones, in hexadecimal. */
const SKIN_TONES: ReadonlySet<string> = new Set(['1f3fb', '1f3fc', '1f3fd', '1f3fe', '1f3ff']);

/** Whether a normalized code is an emoji in a skin tone, or the modifier alone. */
export const hasSkinTone = (code: string): boolean =>
  code.split('-').some((codePoint) => SKIN_TONES.has(codePoint));

/** Normalizes the code of a Unicode emoji: lower case, without the optional variation selector. */
export const normalizeEmojiCode = (code: string): string =>
  code
    .toLowerCase()
    .split('-')
    .filter((codePoint) => codePoint !== 'fe0f')
    .join('-');

/** The path from the server's root at which clients find the picture of a custom emoji. */
export function picturePath(realmId: number, fileKey: string): string {
  const fileName = fileKey.slice(fileKey.lastIndexOf('/') + 1);
  return `/user_avatars/${realmId}/emoji/images/${fileName}`;
}
