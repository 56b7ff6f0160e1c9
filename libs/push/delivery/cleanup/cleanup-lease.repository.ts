import { Injectable } from '@nestjs/common';
import { Database } from '#platform/database';

// By the clock of PostgreSQL: that of one worker may be wrong. The table has the former name of the clean-up. A time that is
// later than the next hour was stored before the clock was set back.
const CLAIM = `
  INSERT INTO push_collections (id, due_at)
  VALUES (1, to_timestamp((floor(extract(epoch FROM now()) / 3600) + 1) * 3600))
  ON CONFLICT (id) DO UPDATE SET due_at = excluded.due_at
  WHERE push_collections.due_at <= now() OR push_collections.due_at > excluded.due_at
  RETURNING (extract(epoch FROM now()) * 1000)::float8 AS now`;

/** Stores when stale tokens are removed next, so that only one worker removes them. */
@Injectable()
export class CleanupLeaseRepository {
  constructor(private readonly database: Database) {}

  /**
   * Claims the pass of this hour, and makes the next one due in the next hour. Resolves with the time of the database in UNIX
   * milliseconds; null if no pass is due.
   */
  async claim(): Promise<number | null> {
    const [claimed] = await this.database.query<{ now: number }>('claim_token_cleanup', CLAIM);
    return claimed?.now ?? null;
  }
}
