import { ApiError, firstUnprintable, isReservedName } from '#platform/contracts';
import { userErrors } from './users.errors.js';

/** In code points, after trimming. */
const LONGEST = 100;
const SHORTEST = 2;

/** The syntax of mentions and links, and invisible characters. */
const FORBIDDEN = /[*`\\>"@]|\p{C}|\p{Zl}|\p{Zp}/u;

/** The end of a mention of a person whose name is not unique. */
const LIKE_A_MENTION = /\|\d+$/;

/** Trims a full name. Throws ApiError for an invalid name. */
export function normalizeFullName(given: string): string {
  const name = given.trim();
  const length = [...name].length;
  if (length > LONGEST) throw new ApiError(userErrors.nameTooLong);
  if (length < SHORTEST) throw new ApiError(userErrors.nameTooShort);
  if (FORBIDDEN.test(name) || firstUnprintable(name) !== null)
    throw new ApiError(userErrors.invalidNameCharacters);
  if (isReservedName(name)) throw new ApiError(userErrors.nameReserved);
  if (LIKE_A_MENTION.test(name)) throw new ApiError(userErrors.invalidNameFormat);
  return name;
}
