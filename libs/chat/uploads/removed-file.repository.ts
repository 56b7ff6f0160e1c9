import { Injectable } from '@nestjs/common';
import { Database, type Session } from '#platform/database';

/** Longer than storing a file takes: a removal before its end would find nothing, and the file would come afterwards. */
export const STORING_HOURS = 1;

const NOTE = `
  INSERT INTO removed_files (key, due_at) VALUES ($1, now() + interval '${STORING_HOURS} hours')`;

// The column rounds its times to milliseconds: a time that was stored as `now()` would else lie ahead of `now()`.
const CLAIM = `
  UPDATE removed_files SET due_at = now() + interval '1 hour'
  WHERE key IN (
    SELECT key FROM removed_files WHERE due_at <= now()::timestamptz(3)
    ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED
  ) RETURNING key`;

const FORGET = `DELETE FROM removed_files WHERE key = ANY($1::text[])`;

/** The files without a row of their own that the storage may have. The statements that remove rows of files note them. */
@Injectable()
export class RemovedFileRepository {
  constructor(private readonly database: Database) {}

  /** Notes a file that is about to be stored, and gets a row of its own afterwards. */
  async note(key: string): Promise<void> {
    await this.database.query('note_file', NOTE, [key]);
  }

  /** The keys of up to `limit` files to remove now. No other call returns them for an hour, which is also the retry. */
  async claim(limit: number): Promise<string[]> {
    const rows = await this.database.query<{ key: string }>('claim_removed_files', CLAIM, [limit]);
    return rows.map(({ key }) => key);
  }

  /** The storage has removed the files, or they have rows of their own. */
  async forget(keys: readonly string[], session: Session = this.database): Promise<void> {
    await session.query('forget_removed_files', FORGET, [keys]);
  }
}
