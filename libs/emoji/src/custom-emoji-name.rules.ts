import { ApiError } from '#contracts';

const ALLOWED = /^[a-z0-9_-]*[a-z0-9]$/;

/**
 * The name that a new custom emoji gets: in lower case, with underscores for spaces. Throws ApiError
 * `emojiNameMissing` or `malformedEmojiName`.
 */
export function customEmojiName(given: string): string {
  const name = given.trim().toLowerCase().replaceAll(' ', '_');
  if (name === '') throw new ApiError('emojiNameMissing');
  if (!ALLOWED.test(name)) throw new ApiError('malformedEmojiName');
  return name;
}
