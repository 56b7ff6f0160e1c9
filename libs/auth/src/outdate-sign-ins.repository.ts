import type { Prisma } from '#database';

/** An account whose cached sign-ins are out of date, and the version that those from now on have. */
export interface OutdatedSignIn {
  readonly userId: number;
  readonly version: number;
}

/**
 * Makes every cached sign-in of some accounts out of date, in the transaction that changes the accounts.
 * Raise the versions in AuthVersionStore once it has committed: from then on all gateways see the
 * change. Should that fail, a promise in the outbox makes up for it: its handler publishes the version
 * again, and logs out no device of the present key.
 */
export async function outdateSignIns(
  transaction: Prisma.TransactionClient,
  userIds: readonly number[],
): Promise<OutdatedSignIn[]> {
  const rows = await transaction.$queryRaw<{ id: number; auth_version: number }[]>`
    WITH changed AS (
      UPDATE users SET auth_version = auth_version + 1, updated_at = now()
      WHERE id = ANY(${[...userIds]})
      RETURNING id, key_generation, auth_version
    ), promised AS (
      INSERT INTO outbox (topic, payload)
      SELECT 'account.logout', jsonb_build_object('userId', id, 'keyGeneration', key_generation)
      FROM changed
    )
    SELECT id, auth_version FROM changed`;
  return rows.map((row) => ({ userId: row.id, version: row.auth_version }));
}
