import { ApiError, limitErrors } from '#platform/contracts';
import { lockAndCheckBytes, type Transaction } from '#platform/database';

/** The bytes of the names and descriptions of all groups of an organisation as JSON: lists have all of them. */
export const MAX_GROUP_BYTES = 10_000_000;
/** The direct members of all groups of an organisation, and those that hold permissions alone. */
export const MAX_GROUP_MEMBERS = 500_000;

const textsOfRealm = {
  table: 'user_groups',
  owner: 'realm_id',
  where: 'name IS NOT NULL',
  texts: ['name', 'description'],
  maxBytes: MAX_GROUP_BYTES,
} as const;

const HAS_MEMBERS = `
  SELECT FROM user_groups g JOIN user_group_members m ON m.group_id = g.id
  WHERE g.realm_id = $1 OFFSET $2 LIMIT 1`;

/**
 * Rejects with `organizationLimitReached` if the groups of an organisation have too long texts together, after the changes of
 * the transaction.
 */
export async function requireGroupBytes(transaction: Transaction, realmId: number): Promise<void> {
  if (await lockAndCheckBytes(transaction, textsOfRealm, realmId)) return;
  const details = { limit: MAX_GROUP_BYTES, what: 'bytes of names and descriptions of groups' };
  throw new ApiError(limitErrors.organizationLimitReached, details);
}

/**
 * The same if they have too many direct members. Some changes at once may exceed the limit together: it bounds the size of
 * lists, and counting blocks nobody.
 */
export async function requireGroupMembers(
  transaction: Transaction,
  realmId: number,
  limit = MAX_GROUP_MEMBERS,
): Promise<void> {
  const values = [realmId, limit];
  const beyond = await transaction.query('members_beyond_limit', HAS_MEMBERS, values);
  if (beyond.length === 0) return;
  const details = { limit, what: 'members of groups' };
  throw new ApiError(limitErrors.organizationLimitReached, details);
}
