import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '#platform/database';

/** Longer than the requests that run at the moment of a change. */
const SECONDS_AFTER_CHANGE = 3;

// By the clock: the transaction of the change may have waited for locks since its beginning.
const ADD = `
  INSERT INTO push_reviews (user_id, due_at)
  VALUES ($1, clock_timestamp() + interval '${SECONDS_AFTER_CHANGE} s')
  ON CONFLICT (user_id) DO UPDATE SET due_at = excluded.due_at`;

const TAKE_NEXT = `
  DELETE FROM push_reviews WHERE user_id = (
    SELECT user_id FROM push_reviews WHERE due_at <= now()
    ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED
  )
  RETURNING user_id AS id`;

const POSTPONE = `
  UPDATE push_reviews SET due_at = now() + make_interval(secs => $2) WHERE user_id = $1`;

/** The accounts whose notifications are reviewed once more. */
@Injectable()
export class ReviewRepository {
  constructor(private readonly database: Database) {}

  /** Has the notifications of an account reviewed some seconds later. */
  async add(transaction: Transaction, userId: number): Promise<void> {
    await transaction.query('add_review', ADD, [userId]);
  }

  /** Removes the first account that is due and that no other transaction has taken; null if there is none. */
  async takeNext(transaction: Transaction): Promise<number | null> {
    const rows = await transaction.query<{ id: number }>('take_review', TAKE_NEXT, []);
    return rows.at(0)?.id ?? null;
  }

  /** Lets an account wait for some seconds. */
  async postpone(userId: number, seconds: number): Promise<void> {
    await this.database.query('postpone_review', POSTPONE, [userId, seconds]);
  }
}
