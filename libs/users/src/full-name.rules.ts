import { ApiError } from '#contracts';

/** In Unicode code points, without the space around it. */
const LONGEST = 100;
const SHORTEST = 2;

/** Those that mentions and links are made of, and whatever cannot be seen. */
const FORBIDDEN = /[*`\\>"@]|\p{C}|\p{Zl}|\p{Zp}/u;

/** A mention of one of several people of a name ends like this. */
const LIKE_A_MENTION = /\|\d+$/;

/** A full name as it is stored: without the space around it. Throws ApiError for what can be none. */
export function normalizeFullName(given: string): string {
  const name = given.trim();
  const length = [...name].length;
  if (length > LONGEST) throw new ApiError('nameTooLong');
  if (length < SHORTEST) throw new ApiError('nameTooShort');
  if (FORBIDDEN.test(name)) throw new ApiError('invalidNameCharacters');
  if (LIKE_A_MENTION.test(name)) throw new ApiError('invalidNameFormat');
  return name;
}
