import type { Transaction } from '#platform/database';

const LOCK_REALM = `SELECT FROM realms WHERE id = $1 FOR NO KEY UPDATE`;

/**
 * Blocks other changes of groups, roles, activations and settings of an organisation until the end of the transaction. Read
 * what the change depends on in a later statement: one that waits for the lock does not see the rows committed before.
 */
export async function lockRealm(transaction: Transaction, realmId: number): Promise<void> {
  await transaction.query('lock_realm', LOCK_REALM, [realmId]);
}
