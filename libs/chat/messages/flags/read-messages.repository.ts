import { Injectable } from '@nestjs/common';
import { Database, queryRow, type Session, type Transaction } from '#platform/database';
import { lockSender } from '../sending/sender-lock.js';

/** All messages, or those of one channel, of a topic of it, or of one sender. Both bounds are message ids. */
export interface MessageRange {
  readonly of:
    'all' | { readonly channelId: number; readonly topic?: string } | { readonly senderId: number };
  /** Exclusive; from the first message when left out. */
  readonly after?: number;
  /** Inclusive; to the last message when left out. */
  readonly upTo?: number;
}

/** A message of the account, as it was before it was marked as read. */
export interface ReadMessage {
  readonly id: number;
  readonly wasRead: boolean;
  /** Whether a phone showed its notification. */
  readonly wasOnScreen: boolean;
}

/** The effect on one slice of a range. */
export interface ReadSlice {
  /** The last message that was looked at; null if there was none. */
  readonly last: number | null;
  /** Whether there may be messages behind the slice. */
  readonly isFull: boolean;
  /** The organisation of the account. */
  readonly realmId: number;
  /** The messages that were marked as read, in ascending order. */
  readonly read: readonly number[];
  /** Those of them whose notifications phones showed. */
  readonly onScreen: readonly number[];
}

/** The number of unread messages that one statement reads. */
const SLICE = 5000;

// All statements that change several rows of an account lock them in the order of the messages: different orders could
// deadlock. Only an unread message can be on a screen.
const HELD = 'SELECT um.message_id, um.is_read, um.is_pushed';
const LOCKED = 'ORDER BY um.message_id FOR NO KEY UPDATE OF um';

// Without joins: PostgreSQL expects few messages of an account, and would compare each of them with each.
const READ_HELD = `
  UPDATE user_messages SET is_read = true, is_pushed = false
  WHERE user_id = $1
    AND message_id = ANY(ARRAY(SELECT message_id FROM held WHERE NOT held.is_read OR held.is_pushed))`;

const READ_NAMED = `
  WITH held AS (
    ${HELD} FROM user_messages um
    WHERE um.user_id = $1 AND um.message_id = ANY($2::bigint[]) ${LOCKED}
  ),
  read AS (${READ_HELD})
  SELECT message_id::bigint AS id, is_read AS "wasRead", is_pushed AS "wasOnScreen"
  FROM held ORDER BY message_id`;

const idsOf = (condition: string): string =>
  `(SELECT coalesce(jsonb_agg(message_id ORDER BY message_id), '[]') FROM held WHERE ${condition})`;

// Reads a slice of all unread messages of the account, so that the work is bounded even if few of them are in the range.
const readSlice = (condition: string): string => `
  WITH walked AS MATERIALIZED (
    SELECT message_id FROM user_messages
    WHERE user_id = $1 AND NOT is_read AND message_id > $2::bigint AND message_id <= $3::bigint
    ORDER BY message_id LIMIT $4
  ),
  held AS (
    ${HELD} FROM user_messages um JOIN messages m ON m.id = um.message_id AND ${condition}
    WHERE um.user_id = $1 AND um.message_id = ANY(ARRAY(SELECT message_id FROM walked))
      AND NOT um.is_read ${LOCKED}
  ),
  read AS (${READ_HELD})
  SELECT max(message_id)::bigint AS last, count(*) = $4 AS "isFull",
    (SELECT realm_id FROM users WHERE id = $1) AS "realmId",
    ${idsOf('true')} AS read, ${idsOf('is_pushed')} AS "onScreen"
  FROM walked`;

const SLICES = {
  all: readSlice('true'),
  channel: readSlice('m.channel_id = $5'),
  topic: readSlice('m.channel_id = $5 AND lower(m.topic) = lower($6::text)'),
  sender: readSlice('m.sender_id = $5'),
} as const;

const slice = (kind: keyof typeof SLICES, ...values: readonly (number | string)[]) => ({
  name: `read_slice_of_${kind}`,
  text: SLICES[kind],
  values,
});

function sliceOf(of: MessageRange['of']) {
  if (of === 'all') return slice('all');
  if ('senderId' in of) return slice('sender', of.senderId);
  const { channelId, topic } = of;
  return topic === undefined ? slice('channel', channelId) : slice('topic', channelId, topic);
}

const HAS_UNREAD = 'SELECT 1 FROM user_messages WHERE user_id = $1 AND NOT is_read LIMIT 1';

/** A topic is looked for among this many of its newest messages: one that the account missed may have millions. */
const MAX_LOOKED_AT = 10_000;

// Only the index of topics has this order. The expression keeps PostgreSQL from reading all rows of the account for a join.
const HAS_TOPIC = `
  SELECT 1 FROM (
    SELECT id FROM messages
    WHERE (channel_id, lower(topic), id) >= ($2::int, lower($3::text), 0::bigint)
      AND (channel_id, lower(topic), id) <= ($2::int, lower($3::text), ${Number.MAX_SAFE_INTEGER}::bigint)
    ORDER BY channel_id DESC, lower(topic) DESC, id DESC LIMIT ${MAX_LOOKED_AT}
  ) AS newest
  WHERE (SELECT true FROM user_messages um WHERE um.user_id = $1 AND um.message_id = newest.id)
  LIMIT 1`;

const LOCK_SENDER = `SELECT ${lockSender('$1')}::text`;

// With the lock granted, every message up to the newest one that the statement sees is committed.
const SELECT_NEWEST = `
  SELECT ${lockSender('$1')}::text,
    coalesce((SELECT max(id) FROM messages WHERE sender_id = $1), 0)::bigint AS newest`;

/** Marks messages of an account as read. */
@Injectable()
export class ReadMessagesRepository {
  constructor(private readonly database: Database) {}

  /** Marks some messages. Resolves with those that have a row of the account, in ascending order. */
  async markNamed(
    transaction: Transaction,
    userId: number,
    messageIds: readonly number[],
  ): Promise<ReadMessage[]> {
    return transaction.query<ReadMessage>('read_messages', READ_NAMED, [userId, messageIds]);
  }

  /** Marks the unread messages of a range among the first SLICE unread messages of the account within its bounds. */
  async markSlice(
    transaction: Transaction,
    userId: number,
    { of, after = 0, upTo = Number.MAX_SAFE_INTEGER }: MessageRange,
  ): Promise<ReadSlice> {
    const { name, text, values: more } = sliceOf(of);
    const values = [userId, after, upTo, SLICE, ...more];
    return queryRow<ReadSlice>(transaction, name, text, values);
  }

  /** Whether an account has unread messages. */
  async hasUnread(transaction: Transaction, userId: number): Promise<boolean> {
    const rows = await transaction.query('has_unread_messages', HAS_UNREAD, [userId]);
    return rows.length > 0;
  }

  /** Whether an account has a row for one of the newest 10,000 messages of a topic. */
  async hasTopic(userId: number, channelId: number, topic: string): Promise<boolean> {
    const values = [userId, channelId, topic];
    const rows = await this.database.query('has_message_of_topic', HAS_TOPIC, values);
    return rows.length > 0;
  }

  /** Waits for the messages of a sender that are being stored, and resolves with the id of the newest; 0 without any. */
  async newestFrom(senderId: number, session: Session): Promise<number> {
    const name = 'newest_from_sender';
    const [row] = await session.query<{ newest: number }>(name, SELECT_NEWEST, [senderId]);
    return row?.newest ?? 0;
  }

  /** Waits for the messages of a sender that are being stored, and delays new ones until the end of the transaction. */
  async lockSender(transaction: Transaction, senderId: number): Promise<void> {
    await transaction.query('lock_sender', LOCK_SENDER, [senderId]);
  }
}
