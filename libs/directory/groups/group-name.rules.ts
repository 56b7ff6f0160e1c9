import { ApiError, firstUnprintable, isReservedName, nameKey } from '#platform/contracts';
import { userGroupErrors } from './user-groups.errors.js';

/** In code points. */
const LONGEST = 100;

/** The syntax of mentions, and the names of system groups. */
const RESERVED = ['@', 'role:', 'user:', 'stream:', 'channel:'];

/** Trims the name of a group. Throws ApiError for an invalid name. */
export function normalizeGroupName(given: string): string {
  const name = given.trim();
  if (name === '') throw new ApiError(userGroupErrors.groupNameEmpty);
  if ([...name].length > LONGEST) throw new ApiError(userGroupErrors.groupNameTooLong);
  const position = firstUnprintable(name);
  if (position !== null) throw new ApiError(userGroupErrors.groupNameInvalid, { position });
  const key = nameKey(name);
  const prefix = RESERVED.find((start) => key.startsWith(start));
  if (prefix !== undefined) throw new ApiError(userGroupErrors.groupNameReserved, { prefix });
  if (isReservedName(name)) throw new ApiError(userGroupErrors.groupNameOfServer);
  return name;
}
