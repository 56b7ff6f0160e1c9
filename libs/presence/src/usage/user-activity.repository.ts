import { Injectable } from '@nestjs/common';
import { Database } from '#database';
import type { DaySpan } from './activity-spans.rules.js';

/** A span and whose it is. */
export interface UserDaySpan extends DaySpan {
  readonly userId: number;
}

// The union of what is there and what comes: writers of the same user, at the same time or again, do no harm. In one
// order everywhere, so that two processes cannot deadlock. Users that are gone are left out: their foreign key would
// fail the whole statement.
const UNITE = `
  INSERT INTO user_activity (day, user_id, active)
  SELECT day, user_id, range_agg(tstzrange(to_timestamp(started_at), to_timestamp(ended_at)))
  FROM unnest($1::date[], $2::int[], $3::bigint[], $4::bigint[])
    AS span (day, user_id, started_at, ended_at)
  WHERE EXISTS (SELECT 1 FROM users WHERE users.id = span.user_id)
  GROUP BY day, user_id
  ORDER BY day, user_id
  ON CONFLICT (day, user_id) DO UPDATE SET active = user_activity.active + excluded.active
    WHERE NOT user_activity.active @> excluded.active`;

// Sweepers of several processes pass over each other's rows.
const FORGET = `
  WITH old AS (
    SELECT day, user_id FROM user_activity WHERE day < $1
    ORDER BY day, user_id LIMIT $2 FOR UPDATE SKIP LOCKED
  ), forgotten AS (
    DELETE FROM user_activity USING old
    WHERE user_activity.day = old.day AND user_activity.user_id = old.user_id
    RETURNING 1
  )
  SELECT count(*)::int AS count FROM forgotten`;

/** When people were active, by day. */
@Injectable()
export class UserActivityRepository {
  constructor(private readonly database: Database) {}

  /** Adds spans to what is known of their users, in one statement. */
  async unite(spans: readonly UserDaySpan[]): Promise<void> {
    await this.database.query('activity-unite', UNITE, [
      spans.map(({ day }) => day),
      spans.map(({ userId }) => userId),
      spans.map(({ startedAt }) => startedAt),
      spans.map(({ endedAt }) => endedAt),
    ]);
  }

  /** Removes at most `most` rows of days before `day`; resolves with how many it removed. */
  async forgetBefore(day: string, most: number): Promise<number> {
    const [row] = await this.database.query<{ count: number }>('activity-forget', FORGET, [
      day,
      most,
    ]);
    return row?.count ?? 0;
  }
}
