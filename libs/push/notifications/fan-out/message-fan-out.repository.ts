import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '#platform/database';
import type { AcceptOptions, MessageToNotify } from '../message-notification.repository.js';

/** A message in a channel. */
export type ChannelMessage = MessageToNotify & { readonly channelId: number };

/** The state of a fan-out. */
export interface FanOut {
  /** With the present channel of the message; null if the message has been deleted. */
  readonly message: ChannelMessage | null;
  readonly messageId: number;
  /** The recipients up to this account have been notified. */
  readonly afterUserId: number;
  /** The devices of these recipients. */
  readonly devices: number;
  readonly timeToLiveMs: number;
  readonly traceParent: string | null;
}

interface FirstRow {
  readonly messageId: number;
  /** Null if the message has been deleted. */
  readonly channelId: number | null;
}

interface FanOutRow {
  message_id: number;
  channel_id: number | null;
  sender_id: number;
  mentioned_via: Readonly<Record<string, number>>;
  after_user_id: number;
  devices: number;
  time_to_live_ms: number;
  trace_parent: string | null;
}

// An edited message is notified from its first recipient on. Those who have been notified of it are left out.
const ADD = `
  INSERT INTO push_fan_outs (message_id, channel_id, sender_id, mentioned_via, expires_at, trace_parent)
  VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5), $6)
  ON CONFLICT (message_id) DO UPDATE
  SET mentioned_via = excluded.mentioned_via, after_user_id = 0, expires_at = excluded.expires_at,
    trace_parent = excluded.trace_parent
  RETURNING channel_id AS "channelId"`;

// One worker notifies the messages of a channel: others would wait for the channel, and a sender would wait behind all of them.
// Storing, changing and deleting messages locks the channel as well, and before the row.
const LOCK_PLACE = `
  WITH turn AS MATERIALIZED (
    SELECT pg_try_advisory_xact_lock(hashtextextended('push_fan_outs:' || $1::int, 0)) AS is_mine
  ),
  head AS MATERIALIZED (
    SELECT message_id FROM push_fan_outs
    WHERE channel_id = $1 AND (SELECT is_mine FROM turn) ORDER BY message_id LIMIT 1
  ),
  place AS MATERIALIZED (
    SELECT place.id FROM head
    JOIN messages message ON message.id = head.message_id
    JOIN channels place ON place.id = message.channel_id
    FOR NO KEY UPDATE OF place
  )
  SELECT head.message_id::bigint AS "messageId", place.id AS "channelId" FROM head LEFT JOIN place ON true`;

// After the channel: the message may have been moved, edited or deleted while the statement waited. Workers of the release before
// lock the row first, so that waiting for it could deadlock.
const LOCK = `
  SELECT fan_out.message_id::bigint, message.channel_id, fan_out.sender_id, fan_out.mentioned_via,
    fan_out.after_user_id, fan_out.devices, fan_out.trace_parent,
    (extract(epoch FROM fan_out.expires_at - now()) * 1000)::float8 AS time_to_live_ms
  FROM push_fan_outs fan_out
  LEFT JOIN messages message ON message.id = fan_out.message_id
  WHERE fan_out.message_id = $1::bigint
  FOR UPDATE OF fan_out SKIP LOCKED`;

// With "+ 0" PostgreSQL cannot use an index that begins with the account: it would read the messages of all accounts.
const RECIPIENTS = `
  SELECT user_id AS "userId" FROM user_messages WHERE message_id = $1 AND user_id + 0 > $2
  ORDER BY user_id + 0 LIMIT $3`;

const ADVANCE = `
  UPDATE push_fan_outs SET after_user_id = $2, devices = devices + $3, progressed_at = now()
  WHERE message_id = $1`;

const END = 'DELETE FROM push_fan_outs WHERE message_id = $1';

const WAITING = `
  SELECT DISTINCT channel_id AS "channelId"
  FROM push_fan_outs WHERE progressed_at < now() - make_interval(secs => $1)
  ORDER BY channel_id LIMIT $2`;

/** Messages whose recipients are notified in pages. */
@Injectable()
export class MessageFanOutRepository {
  constructor(private readonly database: Database) {}

  /**
   * Adds a new or edited message, whose channel the transaction has locked and whose recipients are notified after the transaction.
   * Resolves with the channel to whose messages it belongs: an earlier one if it was moved before all were notified.
   */
  async add(
    transaction: Transaction,
    { id, channelId, senderId, mentionedVia }: ChannelMessage,
    { timeToLiveMs, traceParent }: AcceptOptions,
  ): Promise<number> {
    const groups = Object.fromEntries(mentionedVia);
    const values = [id, channelId, senderId, groups, timeToLiveMs / 1000, traceParent];
    const [row] = await transaction.query<{ channelId: number }>('add_fan_out', ADD, values);
    if (row === undefined) throw new Error(`The fan-out of message ${id} was not stored`);
    return row.channelId;
  }

  /**
   * Locks the present channel of the first message that was sent to a channel and whose fan-out waits, and the fan-out. Null
   * without any, and if another worker notifies the messages of the channel. `moved` if the message came to another channel
   * meanwhile: the transaction must end.
   */
  async lockFirst(transaction: Transaction, channelId: number): Promise<FanOut | 'moved' | null> {
    const values = [channelId];
    const [first] = await transaction.query<FirstRow>('lock_fan_out_place', LOCK_PLACE, values);
    if (first === undefined) return null;
    const [row] = await transaction.query<FanOutRow>('lock_fan_out', LOCK, [first.messageId]);
    if (row === undefined) return null;
    const isPlaceLocked = row.channel_id === null || row.channel_id === first.channelId;
    return isPlaceLocked ? toFanOut(row) : 'moved';
  }

  /** The next recipients of a message, in ascending order. It reads the rows of all, however few are asked for. */
  async recipientsAfter(
    transaction: Transaction,
    { messageId, afterUserId }: Pick<FanOut, 'messageId' | 'afterUserId'>,
    limit: number,
  ): Promise<number[]> {
    const values = [messageId, afterUserId, limit];
    const rows = await transaction.query<{ userId: number }>(
      'fan_out_recipients',
      RECIPIENTS,
      values,
    );
    return rows.map(({ userId }) => userId);
  }

  /** Records that the recipients up to an account, with so many further devices, have been notified. */
  async advance(
    transaction: Transaction,
    messageId: number,
    { upTo, devices }: { readonly upTo: number; readonly devices: number },
  ): Promise<void> {
    await transaction.query('advance_fan_out', ADVANCE, [messageId, upTo, devices]);
  }

  /** Removes a message whose recipients have all been notified. */
  async end(transaction: Transaction, messageId: number): Promise<void> {
    await transaction.query('end_fan_out', END, [messageId]);
  }

  /** The channels with a fan-out without progress for `ageMs`: a limited number. */
  async waiting(ageMs: number, limit: number): Promise<number[]> {
    const values = [ageMs / 1000, limit];
    const rows = await this.database.query<{ channelId: number }>(
      'waiting_fan_outs',
      WAITING,
      values,
    );
    return rows.map(({ channelId }) => channelId);
  }
}

function toFanOut(row: FanOutRow): FanOut {
  const mentionedVia = new Map(
    Object.entries(row.mentioned_via).map(([userId, groupId]) => [Number(userId), groupId]),
  );
  const { channel_id: channelId, message_id: id, sender_id: senderId } = row;
  return {
    message: channelId === null ? null : { id, senderId, channelId, mentionedVia },
    messageId: id,
    afterUserId: row.after_user_id,
    devices: row.devices,
    timeToLiveMs: row.time_to_live_ms,
    traceParent: row.trace_parent,
  };
}
