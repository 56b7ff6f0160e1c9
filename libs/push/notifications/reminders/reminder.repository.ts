import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '#platform/database';
import { ACTIVITY_JOINS, AWAY_FROM, dueOfHold, IS_AWAY } from '../decision/decision.sql.js';
import { lockedInOrder } from './reminder-plan.repository.js';
import {
  MAX_WAITING,
  type NextReminder,
  type PlannedReminder,
  REMINDED_SECONDS,
} from './reminders.rules.js';

/** An account that is reminded. Times are in UNIX seconds by the clock of PostgreSQL. */
export interface RemindedAccount {
  /** `push_notifications_reminder_period_seconds` of now; 0 for none. */
  readonly periodSeconds: number;
  readonly isAway: boolean;
  /** When an account that is not away will be, if nothing happens; at least a second from now. */
  readonly awayFrom: number;
  readonly now: number;
}

/** A reminder whose time has come. */
export interface DueReminder extends PlannedReminder {
  readonly messageId: number;
  /** The notification that phones show. */
  readonly notificationId: string;
  /** Whether phones show the message, and it is unread and young enough. */
  readonly isOpen: boolean;
  /** Whether a newer message of its conversation was notified at the end of what has held it back. */
  readonly isStoodFor: boolean;
  readonly isMentioned: boolean;
}

// With the first due reminder of an account a worker gets all of them: it reminds the account of each conversation once. With
// "+ interval" PostgreSQL looks up the reminders of the account: with statistics of a time without due ones it would read all due
// ones for each account.
//
// An account whose held messages are due as well is left for the worker that decides about those: its notifications may stand for
// reminders. The row is looked up by its key.
const LOCK_DUE = `
  SELECT reminder.user_id AS "userId" FROM push_reminders reminder
  WHERE reminder.due_at <= now() AND NOT coalesce((
    SELECT held_until <= now() AND due_at <= now() FROM push_deferrals
    WHERE user_id = reminder.user_id LIMIT 1
  ), false) AND NOT EXISTS (
    SELECT FROM push_reminders earlier
    WHERE earlier.user_id = reminder.user_id AND earlier.message_id < reminder.message_id
      AND earlier.due_at + interval '0 s' <= now()
  )
  ORDER BY reminder.due_at LIMIT 1 FOR UPDATE SKIP LOCKED`;

const ACCOUNT = `
  SELECT account.push_reminder_seconds AS "periodSeconds", ${IS_AWAY} AS "isAway",
    extract(epoch FROM greatest(${AWAY_FROM}, now() + interval '1 s'))::float8 AS "awayFrom",
    extract(epoch FROM now())::float8 AS now
  FROM users account ${ACTIVITY_JOINS} WHERE account.id = $1 AND account.is_active`;

/** A reminder that was held back is due so long after what came meanwhile at most, also where workers are slow. */
const CATCH_UP_SECONDS = 300;

/** SQL: whether a newer message of the conversation was notified just now. Reads what the account was notified of lately. */
const IS_STOOD_FOR = `
  reminder.is_held AND EXISTS (
    SELECT FROM push_notifications later
    JOIN messages newer ON newer.id = (later.content ->> 'messageId')::bigint
    WHERE later.user_id = $1 AND later.kind = 'message'
      AND later.accepted_at > now() - interval '${CATCH_UP_SECONDS} s'
      AND newer.id > message.id AND lower(newer.topic) = lower(message.topic)
      AND (newer.channel_id, newer.conversation_id)
        IS NOT DISTINCT FROM (message.channel_id, message.conversation_id)
  )`;

// An earlier message may be due since another worker has locked a later one: this one waits for that, and does not repeat it.
const DUE = `
  SELECT reminder.message_id::float8 AS "messageId", reminder.notification_id AS "notificationId",
    reminder.sent::int, reminder.is_held AS "isHeld",
    coalesce(
      received.is_pushed AND NOT received.is_read
        AND message.sent_at > now() - interval '${REMINDED_SECONDS} s', false
    ) AS "isOpen",
    coalesce(${IS_STOOD_FOR}, false) AS "isStoodFor",
    coalesce(received.is_mentioned, false) AS "isMentioned",
    coalesce(extract(epoch FROM message.sent_at), 0)::float8 AS "sentAt"
  FROM push_reminders reminder
  LEFT JOIN user_messages received
    ON received.user_id = reminder.user_id AND received.message_id = reminder.message_id
  LEFT JOIN messages message ON message.id = reminder.message_id
  WHERE reminder.user_id = $1 AND reminder.due_at <= now()
  ORDER BY reminder.message_id LIMIT ${MAX_WAITING} FOR UPDATE OF reminder`;

// The transaction has locked these rows, in the order of the messages.
const SETTLE = `
  WITH settled AS (
    SELECT * FROM unnest($2::bigint[], $3::int[], $4::boolean[], $5::float8[], $6::text[])
      AS settled (message_id, sent, is_held, due_at, hold_cause)
  ),
  ended AS (
    DELETE FROM push_reminders reminder USING settled
    WHERE reminder.user_id = $1 AND reminder.message_id = settled.message_id AND settled.due_at IS NULL
  )
  UPDATE push_reminders reminder
  SET sent = settled.sent, is_held = settled.is_held,
    due_at = ${dueOfHold('settled.due_at', "coalesce(settled.hold_cause, 'delayed')", '$1')}
  FROM settled
  WHERE reminder.user_id = $1 AND reminder.message_id = settled.message_id
    AND settled.due_at IS NOT NULL`;

const POSTPONE = `
  UPDATE push_reminders reminder SET due_at = now() + make_interval(secs => $2)
  FROM (${lockedInOrder('due_at <= now()')}) AS locked
  WHERE reminder.user_id = $1 AND reminder.message_id = locked.message_id`;

/** The messages that accounts are reminded of. */
@Injectable()
export class ReminderRepository {
  constructor(private readonly database: Database) {}

  /** Locks the due reminders of the account that has waited longest and that no other transaction has locked; null without any. */
  async lockDue(transaction: Transaction): Promise<number | null> {
    const rows = await transaction.query<{ userId: number }>('lock_due_reminders', LOCK_DUE, []);
    return rows.at(0)?.userId ?? null;
  }

  /** Null for an account that is gone or deactivated. */
  async account(transaction: Transaction, userId: number): Promise<RemindedAccount | null> {
    const rows = await transaction.query<RemindedAccount>('reminded_account', ACCOUNT, [userId]);
    return rows.at(0) ?? null;
  }

  /** Locks the due reminders of an account, in the order of the messages. */
  async due(transaction: Transaction, userId: number): Promise<readonly DueReminder[]> {
    return transaction.query('due_reminders', DUE, [userId]);
  }

  /** Stores the reminders that follow those of these messages, by message; null: none follows. */
  async settle(
    transaction: Transaction,
    userId: number,
    next: ReadonlyMap<number, NextReminder | null>,
  ): Promise<void> {
    const reminders = [...next.values()];
    await transaction.query('settle_reminders', SETTLE, [
      userId,
      [...next.keys()],
      reminders.map((reminder) => reminder?.sent ?? null),
      reminders.map((reminder) => reminder?.isHeld ?? null),
      reminders.map((reminder) => reminder?.dueAt ?? null),
      reminders.map((reminder) => reminder?.cause ?? null),
    ]);
  }

  /** Lets the due reminders of an account wait for some seconds. */
  async postpone(userId: number, seconds: number): Promise<void> {
    await this.database.query('postpone_reminders', POSTPONE, [userId, seconds]);
  }
}
