import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '#platform/database';
import { PUSH_TARGETS } from '#push/devices';
import { type Hold, IDLE_AFTER_SECONDS, RELOAD_SECONDS } from '../decision/decision.rules.js';
import {
  AWAY_FROM,
  dueOfHold,
  IS_AWAY,
  triggerSql,
  wishesJoins,
} from '../decision/decision.sql.js';
import { lockedInOrder } from '../reminders/reminder-plan.repository.js';

/** An account whose notifications are decided again. */
export interface DeferredAccount {
  readonly userId: number;
  readonly isAway: boolean;
  /** Seconds until the account is away, if nothing happens. */
  readonly awayInSeconds: number;
  /** The first of its undecided messages, in ascending order; only one while it is not away. After a quiet time the newest wanted ones. */
  readonly messageIds: readonly number[];
  /** Those of them in channels that mention the account. */
  readonly mentioningIds: readonly number[];
  /** Whether it is away, and a quiet time or a snooze of it has ended. */
  readonly isCaughtUp: boolean;
  /** Whether it has held messages back until now. */
  readonly isReleased: boolean;
  /** What stays held back. */
  readonly held: HeldMessages | null;
}

/** Messages that are held back. */
export interface HeldMessages {
  /** The first one. */
  readonly fromMessageId: number;
  /** When they are decided again: the first of their holds. */
  readonly hold: Hold;
}

/** The state of an account after a decision. */
export interface SettledAccount {
  readonly userId: number;
  /** The first message that has yet to be decided about; null if none is left. */
  readonly fromMessageId: number | null;
  /** When that is to be done. */
  readonly inSeconds: number;
  /** Whether it has held messages back until now. */
  readonly isReleased: boolean;
  readonly held: HeldMessages | null;
}

/** Whoever holds the lock decides. No message of the account can be stored meanwhile that this row should have announced. */
const LOCK_DUE = `
  SELECT user_id AS id FROM push_deferrals WHERE due_at <= now()
  ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED`;

/** After a quiet time, older messages that the account wants are left out. */
const MAX_CAUGHT_UP = 1000;
/** So many unread messages are looked at then. Most of them may be in channels of which the account wants no notifications. */
const MAX_LOOKED_AT = 20_000;

// What a quiet time has held back stays together until the account is away: then each conversation is notified once. LIMIT 1 makes
// PostgreSQL look up each message by its key.
const READ = `
  SELECT deferral.user_id AS "userId", activity.is_away AS "isAway",
    coalesce(extract(epoch FROM activity.away_from - now()), 0)::float8 AS "awayInSeconds",
    coalesce(array_agg(undecided.message_id ORDER BY undecided.message_id)
      FILTER (WHERE undecided.message_id IS NOT NULL), '{}')::float8[] AS "messageIds",
    coalesce(array_agg(undecided.message_id) FILTER (WHERE undecided.is_mentioned), '{}')::float8[]
      AS "mentioningIds",
    hold.is_caught_up AS "isCaughtUp", deferral.held_from_message_id IS NOT NULL AS "isReleased",
    CASE WHEN hold.until IS NOT NULL THEN jsonb_build_object(
      'fromMessageId', deferral.held_from_message_id,
      'hold', jsonb_build_object('until', extract(epoch FROM hold.until), 'cause', deferral.hold_cause)
    ) END AS held
  FROM push_deferrals deferral
  LEFT JOIN users account ON account.id = deferral.user_id AND account.is_active
  LEFT JOIN user_presence presence ON presence.user_id = deferral.user_id
  CROSS JOIN LATERAL (SELECT ${IS_AWAY} AS is_away, ${AWAY_FROM} AS away_from) AS activity
  CROSS JOIN LATERAL (
    SELECT deferral.held_until <= now() AS is_over, deferral.hold_cause <> 'delayed' AS is_quiet
  ) AS stored
  CROSS JOIN LATERAL (
    SELECT coalesce(stored.is_over AND stored.is_quiet AND activity.is_away, false) AS is_caught_up,
      CASE WHEN NOT stored.is_over OR stored.is_quiet AND NOT activity.is_away THEN deferral.held_until END
        AS until
  ) AS hold
  CROSS JOIN LATERAL (
    SELECT least(
      deferral.from_message_id, CASE WHEN hold.until IS NULL THEN deferral.held_from_message_id END
    ) AS message_id
  ) AS first
  LEFT JOIN LATERAL (
    (
      SELECT message_id, is_mentioned FROM user_messages
      WHERE user_id = account.id AND message_id >= first.message_id
        AND NOT is_read AND NOT is_pushed AND NOT is_historical
      ORDER BY message_id
      LIMIT CASE WHEN hold.is_caught_up THEN 0 WHEN activity.is_away THEN $2::int ELSE 1 END
    )
    UNION ALL
    (
      SELECT received.message_id, received.is_mentioned
      FROM (
        SELECT * FROM user_messages
        WHERE user_id = account.id AND message_id >= first.message_id
          AND NOT is_read AND NOT is_pushed AND NOT is_historical
        ORDER BY message_id DESC
        LIMIT CASE WHEN hold.is_caught_up THEN ${MAX_LOOKED_AT} ELSE 0 END
      ) AS received
      CROSS JOIN LATERAL (SELECT * FROM messages WHERE id = received.message_id LIMIT 1) AS sent
      ${wishesJoins()}
      WHERE ${triggerSql()} IS NOT NULL
      ORDER BY received.message_id DESC LIMIT ${MAX_CAUGHT_UP}
    )
  ) AS undecided ON true
  WHERE deferral.user_id = ANY($1::int[])
  GROUP BY deferral.user_id, activity.is_away, activity.away_from, hold.is_caught_up, hold.until`;

/** SQL: whether a row without a message to decide about says nothing any more. */
const IS_FORGOTTEN = `(
  deferral.held_from_message_id IS NULL
  AND (deferral.left_at IS NULL OR deferral.left_at < now() - interval '${IDLE_AFTER_SECONDS} s')
)`;

// The transaction has locked these rows without waiting for any. The end of the last queue is kept as long as it matters. A row with
// held messages cannot be deleted: the release before would lose them.
const SETTLE = `
  WITH settled AS (
    SELECT *, from_message_id IS NULL AND held_from_message_id IS NULL AS is_done,
      CASE WHEN to_timestamp(held_until) <= now() THEN now() + make_interval(secs => in_seconds)
        ELSE ${dueOfHold('held_until', 'hold_cause')} END AS held_due_at
    FROM unnest($1::int[], $2::bigint[], $3::float8[], $4::bigint[], $5::float8[], $6::text[])
      AS settled (user_id, from_message_id, in_seconds, held_from_message_id, held_until, hold_cause)
  ),
  removed AS (
    DELETE FROM push_deferrals deferral USING settled
    WHERE deferral.user_id = settled.user_id AND settled.is_done AND ${IS_FORGOTTEN}
  )
  UPDATE push_deferrals deferral
  SET from_message_id = settled.from_message_id,
    held_from_message_id = settled.held_from_message_id,
    held_until = to_timestamp(ceil(settled.held_until)),
    hold_cause = settled.hold_cause,
    due_at = CASE
      WHEN settled.is_done THEN coalesce(deferral.left_at + interval '${IDLE_AFTER_SECONDS + 1} s', now())
      ELSE least(
        CASE WHEN settled.from_message_id IS NOT NULL
          THEN now() + make_interval(secs => settled.in_seconds) END,
        settled.held_due_at
      ) END
  FROM settled
  WHERE deferral.user_id = settled.user_id AND NOT (settled.is_done AND ${IS_FORGOTTEN})`;

const FORGET = `
  DELETE FROM push_deferrals deferral
  WHERE user_id = ANY($1::int[]) AND from_message_id IS NULL AND ${IS_FORGOTTEN}`;

const POSTPONE = `
  UPDATE push_deferrals deferral SET due_at = now() + make_interval(secs => $2)
  FROM (
    SELECT user_id FROM push_deferrals WHERE user_id = ANY($1::int[]) ORDER BY user_id FOR UPDATE
  ) AS locked
  WHERE deferral.user_id = locked.user_id`;

const ADD = `
  INSERT INTO push_deferrals (user_id, from_message_id, due_at)
  SELECT user_id, min(from_message_id), now() - interval '1 s'
  FROM unnest($1::int[], $2::bigint[]) AS added (user_id, from_message_id)
  GROUP BY user_id ORDER BY user_id
  ON CONFLICT (user_id) DO UPDATE
  SET from_message_id = least(push_deferrals.from_message_id, excluded.from_message_id),
    due_at = least(push_deferrals.due_at, excluded.due_at)`;

// Of accounts without a phone nothing has to be decided. Messages that wait are due when no other queue has begun.
const LEFT = `
  INSERT INTO push_deferrals (user_id, due_at, left_at)
  SELECT account.id, now() + interval '${IDLE_AFTER_SECONDS + 1} s', now()
  FROM users account
  WHERE account.id = ANY($1::int[]) AND NOT account.is_bot
    AND EXISTS (SELECT FROM ${PUSH_TARGETS} device WHERE device.user_id = account.id)
  ORDER BY account.id
  ON CONFLICT (user_id) DO UPDATE
  SET left_at = excluded.left_at,
    due_at = CASE
      WHEN push_deferrals.from_message_id IS NULL AND push_deferrals.held_from_message_id IS NULL
        THEN excluded.due_at
      ELSE least(push_deferrals.due_at, now() + interval '${RELOAD_SECONDS + 1} s') END`;

// The next decision about them takes the new settings into account. Times are rounded to seconds: one of a second ago has come.
const RELEASE = `
  WITH reminded AS (
    UPDATE push_reminders reminder SET due_at = now() - interval '1 s'
    FROM (${lockedInOrder('is_held')}) AS locked
    WHERE reminder.user_id = $1 AND reminder.message_id = locked.message_id
  )
  UPDATE push_deferrals SET held_until = now() - interval '1 s', due_at = now() - interval '1 s'
  WHERE user_id = $1 AND held_from_message_id IS NOT NULL`;

/** The accounts whose notifications have to be decided again. */
@Injectable()
export class DeferralRepository {
  constructor(private readonly database: Database) {}

  /** Locks due accounts that no other transaction has locked, at most `limit`. */
  async lockDue(transaction: Transaction, limit: number): Promise<number[]> {
    const rows = await transaction.query<{ id: number }>('lock_due_deferrals', LOCK_DUE, [limit]);
    return rows.map(({ id }) => id);
  }

  /** Reads locked accounts, with at most so many undecided messages of each. */
  async read(
    transaction: Transaction,
    userIds: readonly number[],
    messagesOfEach: number,
  ): Promise<DeferredAccount[]> {
    return transaction.query('read_deferrals', READ, [userIds, messagesOfEach]);
  }

  /** Stores the state of locked accounts after a decision; accounts without further messages are removed. */
  async settle(transaction: Transaction, accounts: readonly SettledAccount[]): Promise<void> {
    await transaction.query('settle_deferrals', SETTLE, [
      accounts.map(({ userId }) => userId),
      accounts.map(({ fromMessageId }) => fromMessageId),
      accounts.map(({ inSeconds }) => inSeconds),
      accounts.map(({ held }) => held?.fromMessageId ?? null),
      accounts.map(({ held }) => held?.hold.until ?? null),
      accounts.map(({ held }) => held?.hold.cause ?? null),
    ]);
    const released = accounts.filter(
      ({ fromMessageId, held, isReleased }) =>
        isReleased && fromMessageId === null && held === null,
    );
    if (released.length === 0) return;
    const userIds = released.map(({ userId }) => userId);
    await transaction.query('forget_released_deferrals', FORGET, [userIds]);
  }

  /** Lets accounts wait for some seconds. */
  async postpone(userIds: readonly number[], seconds: number): Promise<void> {
    await this.database.query('postpone_deferrals', POSTPONE, [userIds, seconds]);
  }

  /** Has the unread messages of accounts decided again: those from a message on, for each account. */
  async add(transaction: Transaction, from: ReadonlyMap<number, number>): Promise<void> {
    if (from.size === 0) return;
    await transaction.query('add_deferrals', ADD, [[...from.keys()], [...from.values()]]);
  }

  /** Has the messages and reminders that an account holds back decided again at once: its settings have changed. */
  async release(transaction: Transaction, userId: number): Promise<void> {
    await transaction.query('release_held_messages', RELEASE, [userId]);
  }

  /** Records that the last event queue of accounts has ended. */
  async left(userIds: readonly number[]): Promise<void> {
    await this.database.query('accounts_left', LEFT, [userIds]);
  }
}
