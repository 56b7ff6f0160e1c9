import type { Session, Transaction } from './database.js';

/** A list with a maximum length. The texts are inserted into SQL unescaped: they must be constants. */
interface CappedList {
  readonly table: string;
  /** The column with the id of the account or organisation that owns the list. */
  readonly owner: string;
  /** A condition for the counted rows; by default all rows count. */
  readonly where?: string;
}

const LOCK = `SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`;

/** Waits for other changes of a list, and blocks them until the end of the transaction. */
export async function lockList(
  transaction: Transaction,
  { table }: Pick<CappedList, 'table'>,
  ownerId: number,
): Promise<void> {
  await transaction.query('lock_list', LOCK, [`${table}:${ownerId}`]);
}

/**
 * Whether a list has fewer than `cap` entries. Blocks concurrent calls for the same list until the end of the transaction,
 * so that the limit is exact. Reads at most `cap` entries.
 */
export async function lockAndCheckRoom(
  transaction: Transaction,
  list: CappedList,
  ownerId: number,
  cap: number,
): Promise<boolean> {
  // A separate statement, so that the next one sees the rows that were committed while this one waited.
  await lockList(transaction, list, ownerId);
  return hasRoom(transaction, list, ownerId, cap);
}

/** Like `lockAndCheckRoom` without the lock: the list may be full a moment later. */
export async function hasRoom(
  session: Session,
  { table, owner, where = 'true' }: CappedList,
  ownerId: number,
  cap: number,
): Promise<boolean> {
  const rows = await session.query(
    // A connection knows one statement by a name.
    `room_in_${table}_where_${where.replaceAll(/\W+/g, '_')}`,
    `SELECT FROM ${table} WHERE ${owner} = $1 AND ${where} OFFSET $2 - 1 LIMIT 1`,
    [ownerId, cap],
  );
  return rows.length === 0;
}
