import { Injectable } from '@nestjs/common';
import { Database, lockList, type Transaction } from '#platform/database';

/** Texts by their keys. */
export type Storage = Readonly<Record<string, string>>;

interface Entry {
  readonly key: string;
  readonly value: string;
}

const READ_ALL = `SELECT key, value FROM bot_storage WHERE user_id = $1 ORDER BY key LIMIT 100000`;

const READ = `
  SELECT key, value FROM bot_storage WHERE user_id = $1 AND key = ANY($2::text[]) ORDER BY key`;

const STORE = `
  INSERT INTO bot_storage (user_id, key, value) SELECT $1, * FROM unnest($2::text[], $3::text[])
  ON CONFLICT (user_id, key) DO UPDATE SET value = excluded.value`;

const SIZE = `
  SELECT coalesce(sum(char_length(key) + char_length(value)), 0)::bigint AS size, count(*)::int AS count
  FROM bot_storage WHERE user_id = $1`;

const REMOVE = `
  DELETE FROM bot_storage WHERE user_id = $1 AND key = ANY($2::text[]) RETURNING key`;

const REMOVE_ALL = `DELETE FROM bot_storage WHERE user_id = $1`;

/** The entries that accounts of bots have stored: a text for each key. */
@Injectable()
export class BotStorageRepository {
  constructor(private readonly database: Database) {}

  /** The entries of an account, with `keys` only those. */
  async read(userId: number, keys?: readonly string[]): Promise<Storage> {
    const entries =
      keys === undefined
        ? await this.database.query<Entry>('bot_storage_of_account', READ_ALL, [userId])
        : await this.database.query<Entry>('bot_storage_by_key', READ, [userId, keys]);
    return Object.fromEntries(entries.map(({ key, value }) => [key, value]));
  }

  /** Stores entries, and resolves with the size of all entries of the account in characters, and with their number. */
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
