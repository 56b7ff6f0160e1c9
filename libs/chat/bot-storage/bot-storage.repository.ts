import { Injectable } from '@nestjs/common';
import { Database, jsonBytesOf, lockList, type Transaction } from '#platform/database';

/** Texts by their keys. */
export type Storage = Readonly<Record<string, string>>;

interface Entry {
  readonly key: string;
  /** Null if all of the entries are too large together. */
  readonly value: string | null;
}

/** All keys and values of an account, in bytes of JSON: an answer may have all of them. */
export const LARGEST_STORAGE = 10_000_000;

// PostgreSQL knows the lengths of long texts without reading them.
const COLUMNS = `
  key, CASE WHEN sum(octet_length(key) + octet_length(value)) OVER () <= ${LARGEST_STORAGE} THEN value END AS value`;

const READ_ALL = `SELECT ${COLUMNS} FROM bot_storage WHERE user_id = $1 ORDER BY key LIMIT 100000`;

const READ = `
  SELECT ${COLUMNS} FROM bot_storage WHERE user_id = $1 AND key = ANY($2::text[]) ORDER BY key`;

const STORE = `
  INSERT INTO bot_storage (user_id, key, value) SELECT $1, * FROM unnest($2::text[], $3::text[])
  ON CONFLICT (user_id, key) DO UPDATE SET value = excluded.value`;

const SIZE = `
  SELECT coalesce(sum(${jsonBytesOf(['key', 'value'])}), 0)::bigint AS size, count(*)::int AS count
  FROM bot_storage WHERE user_id = $1`;

const REMOVE = `
  DELETE FROM bot_storage WHERE user_id = $1 AND key = ANY($2::text[]) RETURNING key`;

const REMOVE_ALL = `DELETE FROM bot_storage WHERE user_id = $1`;

/** The entries that accounts of bots have stored: a text for each key. */
@Injectable()
export class BotStorageRepository {
  constructor(private readonly database: Database) {}

  /**
   * The entries of an account, with `keys` only those. Null if a release with a higher limit has stored more than
   * LARGEST_STORAGE of them.
   */
  async read(userId: number, keys?: readonly string[]): Promise<Storage | null> {
    const entries =
      keys === undefined
        ? await this.database.query<Entry>('bot_storage_of_account', READ_ALL, [userId])
        : await this.database.query<Entry>('bot_storage_by_key', READ, [userId, keys]);
    const storage: [string, string][] = [];
    for (const { key, value } of entries) {
      if (value === null) return null;
      storage.push([key, value]);
    }
    return Object.fromEntries(storage);
  }

  /** Stores entries, and resolves with the bytes of all entries of the account as JSON, and with their number. */
  async store(
    transaction: Transaction,
    userId: number,
    storage: Storage,
  ): Promise<{ readonly size: number; readonly count: number }> {
    // A separate statement, so that the size includes the entries that were committed while this one waited.
    await lockList(transaction, { table: 'bot_storage' }, userId);
    const values = [userId, Object.keys(storage), Object.values(storage)];
    await transaction.query('store_in_bot_storage', STORE, values);
    const [row] = await transaction.query<{ size: number; count: number }>(
      'size_of_bot_storage',
      SIZE,
      [userId],
    );
    return row ?? { size: 0, count: 0 };
  }

  /** Removes entries, and resolves with the number of those that existed. */
  async remove(transaction: Transaction, userId: number, keys: readonly string[]): Promise<number> {
    const values = [userId, keys];
    return (await transaction.query('remove_from_bot_storage', REMOVE, values)).length;
  }

  /** Removes all entries of an account. */
  async removeAll(userId: number): Promise<void> {
    await this.database.query('empty_bot_storage', REMOVE_ALL, [userId]);
  }
}
