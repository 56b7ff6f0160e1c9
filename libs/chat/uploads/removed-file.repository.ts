import { Injectable } from '@nestjs/common';
import { Database } from '#platform/database';

// The column rounds its times to milliseconds: a time that was stored as `now()` would else lie ahead of `now()`.
const CLAIM = `
  UPDATE removed_files SET due_at = now() + interval '1 hour'
  WHERE key IN (
    SELECT key FROM removed_files WHERE due_at <= now()::timestamptz(3)
    ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED
  ) RETURNING key`;

const FORGET = `DELETE FROM removed_files WHERE key = ANY($1::text[])`;

/** The files without a row of their own that the storage may still have. The statements that remove rows note them. */
@Injectable()
export class RemovedFileRepository {
  constructor(private readonly database: Database) {}

  /** The keys of up to `limit` files to remove now. No other call returns them for an hour, which is also the retry. */
  async claim(limit: number): Promise<string[]> {
    const rows = await this.database.query<{ key: string }>('claim_removed_files', CLAIM, [limit]);
    return rows.map(({ key }) => key);
  }

  /** The storage has removed the files. */
  async forget(keys: readonly string[]): Promise<void> {
    await this.database.query('forget_removed_files', FORGET, [keys]);
  }
}
