import { ApiError, limitErrors } from '#platform/contracts';
import { lockAndCheckBytes, type Transaction } from '#platform/database';

/** The bytes of the names and descriptions of all channels of an organisation as JSON: lists have all of them. */
export const MAX_CHANNEL_BYTES = 10_000_000;

const textsOfRealm = {
  table: 'channels',
  owner: 'realm_id',
  texts: ['name', 'description'],
  maxBytes: MAX_CHANNEL_BYTES,
} as const;

/**
 * Rejects with `organizationLimitReached` if the channels of an organisation have too long texts together, after the changes
 * of the transaction. Needs the lock of `lockSubscriptions`.
 */
export async function requireChannelBytes(
  transaction: Transaction,
  realmId: number,
): Promise<void> {
  if (await lockAndCheckBytes(transaction, textsOfRealm, realmId)) return;
  const details = { limit: MAX_CHANNEL_BYTES, what: 'bytes of names and descriptions of channels' };
  throw new ApiError(limitErrors.organizationLimitReached, details);
}
