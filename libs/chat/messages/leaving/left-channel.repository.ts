import { Injectable } from '@nestjs/common';
import type { ChannelAccounts } from '#chat/channels';
import { Database, type Transaction } from '#platform/database';

/** A channel that an account has left with messages that may be unread. */
export interface ChannelDeparture {
  readonly userId: number;
  readonly channelId: number;
}

/** The messages of a left channel that are to be marked. */
interface LeftMessages {
  /** The newest one; null for all messages. */
  readonly upTo: number | null;
}

/** SQL: whether a message `m` is unread only until the departure `left_channel` of its reader has been carried out. */
export const IS_LEFT_BEHIND = `
  left_channel.user_id IS NOT NULL AND m.id <= coalesce(left_channel.up_to, m.id)`;

const PAIRS = 'unnest($1::int[], $2::int[]) AS pair (channel_id, user_id)';

// All statements that lock several rows lock them in this order: different orders could deadlock.
const IN_ORDER = 'ORDER BY user_id, channel_id';

const ADD = `
  INSERT INTO left_channels (user_id, channel_id)
  SELECT user_id, channel_id FROM ${PAIRS} ${IN_ORDER}
  ON CONFLICT (user_id, channel_id) DO UPDATE SET up_to = NULL`;

const LIMIT = `
  WITH held AS (
    SELECT user_id, channel_id FROM left_channels JOIN ${PAIRS} USING (user_id, channel_id)
    WHERE up_to IS NULL ${IN_ORDER} FOR UPDATE OF left_channels
  )
  UPDATE left_channels SET up_to = coalesce(
    (SELECT max(m.id) FROM messages m WHERE m.channel_id = held.channel_id), 0
  )
  FROM held WHERE left_channels.user_id = held.user_id AND left_channels.channel_id = held.channel_id`;

// The lease: other processes skip the rows until then, and take them over if this process dies.
const LEASE = `
  UPDATE left_channels SET due_at = now() + $2 * interval '1 millisecond'
  FROM (
    SELECT user_id, channel_id FROM left_channels WHERE due_at <= now()
    ORDER BY due_at, user_id, channel_id LIMIT $1 FOR UPDATE SKIP LOCKED
  ) AS due
  WHERE left_channels.user_id = due.user_id AND left_channels.channel_id = due.channel_id
  RETURNING due.user_id AS "userId", due.channel_id AS "channelId"`;

// A message that was addressed before the departure holds this lock until it is stored.
const AWAIT_MESSAGES = `SELECT id FROM channels WHERE id = ANY($1::int[]) ORDER BY id FOR SHARE`;

const LOCK = `
  SELECT up_to::bigint AS "upTo" FROM left_channels
  WHERE user_id = $1 AND channel_id = $2 FOR UPDATE`;

const REMOVE = 'DELETE FROM left_channels WHERE user_id = $1 AND channel_id = $2';

/** The channels that accounts have left, until their unread messages are marked as read. */
@Injectable()
export class LeftChannelRepository {
  constructor(private readonly database: Database) {}

  /** Adds the channels that accounts are leaving: one statement. */
  async add(transaction: Transaction, former: readonly ChannelAccounts[]): Promise<void> {
    await transaction.query('add_left_channels', ADD, pairsOf(former));
  }

  /** Excludes the messages that accounts receive from now on, because they are subscribed again: one statement. */
  async limit(transaction: Transaction, subscribers: readonly ChannelAccounts[]): Promise<void> {
    await transaction.query('limit_left_channels', LIMIT, pairsOf(subscribers));
  }

  /** Takes some of them, the oldest first; no other process gets them during the lease. */
  async lease(most: number, milliseconds: number): Promise<ChannelDeparture[]> {
    const values = [most, milliseconds];
    return this.database.query<ChannelDeparture>('lease_left_channels', LEASE, values);
  }

  /** Waits for the messages of channels that are being stored. */
  async awaitMessages(channelIds: readonly number[]): Promise<void> {
    await this.database.query('await_messages_of_channels', AWAIT_MESSAGES, [channelIds]);
  }

  /** Locks the row of a channel until the end of the transaction; null if it is gone. */
  async lock(
    transaction: Transaction,
    { userId, channelId }: ChannelDeparture,
  ): Promise<LeftMessages | null> {
    const values = [userId, channelId];
    const [row] = await transaction.query<LeftMessages>('lock_left_channel', LOCK, values);
    return row ?? null;
  }

  /** Removes a channel whose messages are all marked. */
  async remove(transaction: Transaction, { userId, channelId }: ChannelDeparture): Promise<void> {
    await transaction.query('remove_left_channel', REMOVE, [userId, channelId]);
  }
}

const pairsOf = (lists: readonly ChannelAccounts[]) => [
  lists.flatMap(({ channelId, userIds }) => userIds.map(() => channelId)),
  lists.flatMap(({ userIds }) => userIds),
];
