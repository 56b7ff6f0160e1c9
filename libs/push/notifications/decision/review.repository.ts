import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '#platform/database';

/** Longer than the requests that run at the moment of a change. */
const SECONDS_AFTER_CHANGE = 3;

// By the clock: the transaction of the change may have waited for locks since its beginning.
const ADD = `
  INSERT INTO push_reviews AS planned (user_id, due_at, releases_held, reviews_wishes)
  VALUES ($1, clock_timestamp() + interval '${SECONDS_AFTER_CHANGE} s', $2, NOT $2)
  ON CONFLICT (user_id) DO UPDATE SET due_at = excluded.due_at,
    releases_held = planned.releases_held OR excluded.releases_held,
    reviews_wishes = planned.reviews_wishes OR excluded.reviews_wishes`;

const TAKE_NEXT = `
  DELETE FROM push_reviews WHERE user_id = (
    SELECT user_id FROM push_reviews WHERE due_at <= now()
    ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED
  )
  RETURNING user_id AS "userId", releases_held AS "releasesHeld", reviews_wishes AS "reviewsWishes"`;

const POSTPONE = `
  UPDATE push_reviews SET due_at = now() + make_interval(secs => $2) WHERE user_id = $1`;

/** An account whose notifications are reviewed once more. */
interface PlannedReview {
  readonly userId: number;
  /** Its quiet settings have changed: what it holds back is decided again. */
  readonly releasesHeld: boolean;
  /** What it wants to be notified of has changed. */
  readonly reviewsWishes: boolean;
}

/** The accounts whose notifications are reviewed once more. */
@Injectable()
export class ReviewRepository {
  constructor(private readonly database: Database) {}

  /** Has the notifications of an account reviewed some seconds later: its wishes, or what it holds back. */
  async add(
    transaction: Transaction,
    userId: number,
    changed: 'wishes' | 'quiet settings',
  ): Promise<void> {
    await transaction.query('add_review', ADD, [userId, changed === 'quiet settings']);
  }

  /** Removes the first account that is due and that no other transaction has taken; null if there is none. */
  async takeNext(transaction: Transaction): Promise<PlannedReview | null> {
    const rows = await transaction.query<PlannedReview>('take_review', TAKE_NEXT, []);
    return rows.at(0) ?? null;
  }

  /** Lets an account wait for some seconds. */
  async postpone(userId: number, seconds: number): Promise<void> {
    await this.database.query('postpone_review', POSTPONE, [userId, seconds]);
  }
}
