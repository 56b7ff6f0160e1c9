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

/** A list whose texts have a maximum size too, because answers have all of them. */
interface TextList extends CappedList {
  /** The SQL of the texts of an entry. */
  readonly texts: readonly string[];
  readonly maxBytes: number;
}

/** About the bytes of an entry besides its texts. */
const ENTRY_BYTES = 150;

/** SQL: the bytes of texts as JSON. PostgreSQL escapes what answers escape. */
export const jsonBytesOf = (texts: readonly string[]): string =>
  texts.map((text) => `coalesce(octet_length(to_json(${text})::text), 0)`).join(' + ');

/** SQL: about the bytes of texts, which PostgreSQL knows without reading long ones. */
const storedBytesOf = (texts: readonly string[]): string =>
  texts.map((text) => `octet_length(${text})`).join(' + ');

/**
 * Whether all texts of a list have at most its bytes as JSON, after the changes of the transaction. Blocks concurrent
 * calls for the same list until its end, so that the limit is exact.
 */
export async function lockAndCheckBytes(
  transaction: Transaction,
  list: TextList,
  ownerId: number,
): Promise<boolean> {
  const { table, owner, texts, maxBytes, where = 'true' } = list;
  await lockList(transaction, list, ownerId);
  const rows = await transaction.query(
    `bytes_of_${table}`,
    `SELECT FROM ${table} WHERE ${owner} = $1 AND ${where}
     HAVING coalesce(sum(${ENTRY_BYTES} + ${jsonBytesOf(texts)}), 0) <= $2::bigint`,
    [ownerId, maxBytes],
  );
  return rows.length > 0;
}

/**
 * SQL: the entries of the owner `$1`, in an order. Without the last ones if a release without the limit has let the list
 * become longer: then the answer is still bounded.
 */
export const boundedEntries = (
  { table, owner, texts, maxBytes }: TextList,
  order: string,
): string => `(
  SELECT * FROM (
    SELECT *, sum(${ENTRY_BYTES} + ${storedBytesOf(texts)}) OVER (ORDER BY ${order}) AS bytes
    FROM ${table} WHERE ${owner} = $1
  ) AS entry WHERE bytes <= ${maxBytes} ORDER BY ${order}
)`;
