import { Injectable } from '@nestjs/common';
import { Database } from '#platform/database';

// The table has the former name of the clean-up.
const CLAIM = `
  INSERT INTO push_collections (id, due_at) VALUES (1, $2)
  ON CONFLICT (id) DO UPDATE SET due_at = excluded.due_at
  WHERE push_collections.due_at <= $1
  RETURNING id`;

/** Stores when stale tokens are removed next, so that only one worker removes them. */
@Injectable()
export class CleanupLeaseRepository {
  constructor(private readonly database: Database) {}

  /** False if no pass is due. Otherwise the next one is due at `next`. */
  async claim(now: Date, next: Date): Promise<boolean> {
    return (await this.database.query('claim_token_cleanup', CLAIM, [now, next])).length > 0;
  }
}
