import type { Session, Transaction } from '#platform/database';

interface NameInRealm {
  readonly realmId: number;
  readonly fullName: string;
  /** The account that may already have the name. */
  readonly userId?: number;
}

const LOCK_NAMES = `
  SELECT requires_unique_names AS "requiresUniqueNames" FROM realms WHERE id = $1
  FOR NO KEY UPDATE`;

const NAME_OWNER = `
  SELECT FROM users
  WHERE realm_id = $1 AND name_key(full_name) = name_key($2) AND id <> $3
  LIMIT 1`;

/**
 * Serialises the changes of names in an organisation until the end of the transaction, and resolves with whether the
 * organisation requires unique names. Most do not, so no index can enforce uniqueness.
 */
export async function lockNames(
  transaction: Transaction,
  realmId: number,
): Promise<{ readonly requiresUniqueNames: boolean }> {
  const [row] = await transaction.query<{ requiresUniqueNames: boolean }>(
    'lock_names',
    LOCK_NAMES,
    [realmId],
  );
  return { requiresUniqueNames: row?.requiresUniqueNames === true };
}

/** Whether no other account of the organisation, active or deactivated, has the name or one with the same key. */
export async function isNameFree(
  session: Session,
  { realmId, fullName, userId = 0 }: NameInRealm,
): Promise<boolean> {
  const rows = await session.query('name_owner', NAME_OWNER, [realmId, fullName, userId]);
  return rows.length === 0;
}
