import type { Session } from './database.js';

/** A list with a cap. Its parts go into SQL as they are: they must be constants. */
export interface CappedList {
  readonly table: string;
  /** The column of the account or organisation that has the list. */
  readonly owner: string;
  /** A condition on the rows that count, where not all do. */
  readonly where?: string;
}

const LOCK = `SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`;

/**
 * Whether a list has fewer than `cap` entries. Until the transaction ends no other one that asks the same
 * can add to the list, so that the cap is exact. Reads `cap` entries at most.
 */
export async function hasRoom(
  session: Session,
  { table, owner, where = 'true' }: CappedList,
  ownerId: number,
  cap: number,
): Promise<boolean> {
  // A statement of its own: the next one then sees what others have added while this one waited.
  await session.query('lock_list', LOCK, [`${table}:${ownerId}`]);
  const rows = await session.query(
    `room_in_${table}`,
    `SELECT FROM ${table} WHERE ${owner} = $1 AND ${where} OFFSET $2 - 1 LIMIT 1`,
    [ownerId, cap],
  );
  return rows.length === 0;
}
