import { Injectable } from '@nestjs/common';
import type { QuietHours } from '#directory/settings';
import type { Transaction } from '#platform/database';
import type { QuietTime } from './quiet-times.rules.js';

/** The quiet hours of an account, as it has set them. */
export interface AccountQuietHours {
  readonly userId: number;
  readonly hours: readonly QuietHours[];
  /** Whether quiet times are stored for it. */
  readonly hasTimes: boolean;
  /** A name of the IANA time zone database; empty if unknown. */
  readonly zone: string;
}

const FIELDS = `
  id AS "userId", timezone AS zone, push_quiet_times IS NOT NULL AS "hasTimes",
  coalesce(display_settings -> 'push_quiet_hours', '[]') AS hours`;

const LOCK = `SELECT ${FIELDS} FROM users WHERE id = $1 FOR NO KEY UPDATE`;

// Another worker continues those that are locked, or the change that has locked them does.
const LOCK_ENDING = `
  SELECT ${FIELDS} FROM users
  WHERE push_quiet_times IS NOT NULL AND upper(push_quiet_times) < now() + make_interval(days => $1)
  ORDER BY upper(push_quiet_times) LIMIT $2
  FOR NO KEY UPDATE SKIP LOCKED`;

// Without a time the value is null: no quiet hours.
const STORE = `
  UPDATE users account SET push_quiet_times = (
    SELECT range_agg(tstzrange(to_timestamp(time.start), to_timestamp(time."end")))
    FROM jsonb_to_recordset(given.times) AS time (start float8, "end" float8)
  )
  FROM unnest($1::int[], $2::jsonb[]) AS given (id, times)
  WHERE account.id = given.id`;

/** The quiet times of accounts: what their quiet hours mean in the next days. */
@Injectable()
export class QuietTimesRepository {
  /** The quiet hours of an account, which the transaction locks. Rejects with an Error for an unknown id. */
  async lock(transaction: Transaction, userId: number): Promise<AccountQuietHours> {
    const [row] = await transaction.query<AccountQuietHours>('lock_quiet_hours', LOCK, [userId]);
    if (row === undefined) throw new Error(`There is no account ${userId}`);
    return row;
  }

  /** Locks accounts whose stored quiet times end within some days, the first ones first. */
  async lockEnding(
    transaction: Transaction,
    days: number,
    limit: number,
  ): Promise<readonly AccountQuietHours[]> {
    return transaction.query('lock_ending_quiet_times', LOCK_ENDING, [days, limit]);
  }

  /** Stores the quiet times of accounts in place of the former ones; none if the list is empty. */
  async store(
    transaction: Transaction,
    times: ReadonlyMap<number, readonly QuietTime[]>,
  ): Promise<void> {
    const rows = [...times].map(([id, ofAccount]) => ({
      id,
      times: ofAccount.map(({ start, end }) => ({ start: start / 1000, end: end / 1000 })),
    }));
    await transaction.query('store_quiet_times', STORE, [
      rows.map(({ id }) => id),
      rows.map((row) => JSON.stringify(row.times)),
    ]);
  }
}
