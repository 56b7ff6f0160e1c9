import type { Prisma } from '#database';

interface NameInRealm {
  readonly realmId: number;
  readonly fullName: string;
  /** The account that may have it already. */
  readonly userId?: number;
}

/**
 * Makes those who give names in an organisation take turns until the end of their transactions, and
 * resolves with whether it wants names to be unique: no index can hold them so, since most do not.
 */
export async function lockNames(
  transaction: Prisma.TransactionClient,
  realmId: number,
): Promise<{ readonly requiresUniqueNames: boolean }> {
  const [row] = await transaction.$queryRaw<{ requires_unique_names: boolean }[]>`
    SELECT requires_unique_names FROM realms WHERE id = ${realmId} FOR NO KEY UPDATE`;
  return { requiresUniqueNames: row?.requires_unique_names === true };
}

/** Whether no other account of the organisation has the name, whatever its case, deactivated ones included. */
export async function isNameFree(
  prisma: Prisma.TransactionClient,
  { realmId, fullName, userId = 0 }: NameInRealm,
): Promise<boolean> {
  const rows = await prisma.$queryRaw<unknown[]>`
    SELECT 1 FROM users
    WHERE realm_id = ${realmId} AND lower(full_name) = lower(${fullName}) AND id <> ${userId}
    LIMIT 1`;
  return rows.length === 0;
}
