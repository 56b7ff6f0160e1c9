import { Injectable } from '@nestjs/common';
import type { TopicPlace } from '#chat/user-topics';
import { directGroupsOf } from '#directory/groups';
import { roles } from '#directory/roles';
import type { Transaction } from '#platform/database';
import type { LockedMessage, MessageReader } from '../changing/locked-message.repository.js';
import type { ScreenRead } from '../message-notifier.js';
import { IS_HISTORY_SHARED, IS_READABLE, JOINED_CHANNEL } from '../reading/readable-messages.js';

/** Messages of a topic that an account may read. */
interface MessagesOfTopic {
  /** In ascending order, at most one more than asked for. */
  readonly ids: readonly number[];
  /** Those that were sent at the limit or later: their number, and the first of them. */
  readonly recent: number;
  readonly firstRecentId: number | null;
}

// The topic without regard to case.
const OF_TOPIC = `
  WITH found AS MATERIALIZED (
    SELECT m.id, m.sent_at FROM messages m JOIN users reader ON reader.id = $1 ${JOINED_CHANNEL}
    WHERE m.channel_id = $3 AND lower(m.topic) = lower($4) AND m.id >= $5::bigint AND ${IS_READABLE}
    ORDER BY m.id LIMIT $6
  )
  SELECT coalesce(jsonb_agg(id ORDER BY id), '[]') AS ids,
    count(*) FILTER (WHERE sent_at >= $7)::int AS recent,
    min(id) FILTER (WHERE sent_at >= $7)::bigint AS "firstRecentId"
  FROM found`;

const HAS_TOPIC = `
  SELECT 1 FROM messages WHERE channel_id = $1 AND lower(topic) = lower($2) LIMIT 1`;

// PostgreSQL compares the topics, which are the same if it has one key for both: JavaScript has other small letters.
const HAS_STAYED = `
  SELECT 1 FROM messages
  WHERE channel_id = $1 AND lower(topic) = lower($2) AND ($1 <> $3::int OR lower($2) <> lower($4)) LIMIT 1`;

const SUBSCRIBERS = `
  SELECT u.id FROM subscriptions s JOIN users u ON u.id = s.user_id
  WHERE s.channel_id = $1 AND s.is_active AND u.is_active`;

const COUNT_SUBSCRIBERS = `SELECT count(*)::int AS count FROM (${SUBSCRIBERS}) AS subscriber`;

// Those who had not received them did not read them in their channel before.
const ADD_AS_READ = `
  INSERT INTO user_messages (user_id, message_id, is_read, is_moved_in)
  SELECT u.id, moved.id, true, true
  FROM (SELECT id FROM messages WHERE id = ANY($2::bigint[]) ORDER BY id FOR KEY SHARE) AS moved
  CROSS JOIN subscriptions s JOIN users u ON u.id = s.user_id
  WHERE s.channel_id = $1 AND s.is_active AND u.is_active
  ORDER BY moved.id, u.id
  ON CONFLICT (user_id, message_id) DO UPDATE SET is_historical = false, is_moved_in = true
  WHERE user_messages.is_historical`;

const CEASES_TO_COUNT = `
  um.message_id = ANY($1::bigint[]) AND NOT um.is_read AND um.user_id NOT IN (
    SELECT s.user_id FROM subscriptions s WHERE s.channel_id IN ($2, $3) AND s.is_active
    GROUP BY s.user_id HAVING count(*) = 2
  )`;

// Unread messages count only in channels with a subscription. A message that begins or ceases to count would need an event
// of its own, so it becomes read. The update has no join: PostgreSQL expects few readers of a message, and would look for each row
// among all of them.
const READ = `
  WITH held AS (
    SELECT um.user_id, um.message_id, um.is_pushed FROM user_messages um WHERE ${CEASES_TO_COUNT}
    ORDER BY um.user_id, um.message_id
    FOR NO KEY UPDATE OF um
  ),
  changed AS (
    UPDATE user_messages um SET is_read = true, is_pushed = false WHERE ${CEASES_TO_COUNT}
  ),
  of_user AS (
    SELECT user_id, jsonb_agg(message_id ORDER BY message_id) AS ids,
      coalesce(jsonb_agg(message_id ORDER BY message_id) FILTER (WHERE is_pushed), '[]') AS pushed
    FROM held GROUP BY user_id
  )
  SELECT ids AS "messageIds", pushed AS "pushedIds", array_agg(user_id ORDER BY user_id) AS "userIds"
  FROM of_user GROUP BY 1, 2 ORDER BY 3`;

// The rule of `hasChannelContent` for many accounts, which have not received the messages.
const SELECT_READERS = `
  WITH RECURSIVE allowed (group_id) AS (
    SELECT unnest(ARRAY[can_add_subscribers_id, can_subscribe_id]) FROM channels WHERE id = $1 AND is_private
    UNION
    SELECT s.subgroup_id FROM user_group_subgroups s JOIN allowed ON s.supergroup_id = allowed.group_id
  )
  SELECT c.is_private AS "isPrivate", coalesce(array_agg(u.id) FILTER (WHERE u.id IS NOT NULL), '{}') AS "userIds"
  FROM channels c
  LEFT JOIN users u ON u.id = ANY($2::int[]) AND ${IS_HISTORY_SHARED} AND (
    c.is_web_public
    OR EXISTS (
      SELECT FROM subscriptions s WHERE s.channel_id = c.id AND s.user_id = u.id AND s.is_active
    )
    OR u.role < ${roles.guest} AND (NOT c.is_private OR EXISTS (
      SELECT FROM allowed JOIN ${directGroupsOf('u.id')} AS own USING (group_id)
    ))
  )
  WHERE c.id = $1 GROUP BY c.is_private`;

/** Whether a channel is private, and which of some accounts may read it. */
interface ReadersOfChannel {
  readonly isPrivate: boolean;
  readonly userIds: readonly number[];
}

/** Messages that became read for some readers. */
export interface ReadByMove {
  readonly messageIds: readonly number[];
  /** Those that phones showed. */
  readonly pushedIds: readonly number[];
  readonly userIds: readonly number[];
}

/** The messages that phones showed, of each reader. */
export const onScreenOf = (read: readonly ReadByMove[]): ScreenRead[] =>
  read.flatMap(({ pushedIds, userIds }) =>
    userIds.flatMap((userId) => pushedIds.map((messageId) => ({ userId, messageId }))),
  );

/** Finds the messages that move, and changes the rows of their readers. The channels must be locked. */
@Injectable()
export class MovedMessagesRepository {
  /** The messages of the topic of a message from `firstId` on that the reader may read, at most `most`. */
  async ofTopic(
    transaction: Transaction,
    { userId, groups }: MessageReader,
    { channelId, topic }: LockedMessage,
    {
      firstId,
      most,
      limit,
    }: { readonly firstId: number; readonly most: number; readonly limit: Date },
  ): Promise<MessagesOfTopic> {
    const values = [userId, [...groups], channelId, topic, firstId, most, limit];
    const [found] = await transaction.query<MessagesOfTopic>('messages_of_topic', OF_TOPIC, values);
    return found ?? { ids: [], recent: 0, firstRecentId: null };
  }

  /** Whether a channel has messages with a topic, without regard to case. */
  async hasTopic(transaction: Transaction, channelId: number, topic: string): Promise<boolean> {
    const rows = await transaction.query('moved_topic', HAS_TOPIC, [channelId, topic]);
    return rows.length > 0;
  }

  /** Whether messages of a topic have stayed behind when others came to a topic that is not the same in another case. */
  async hasStayed(transaction: Transaction, from: TopicPlace, to: TopicPlace): Promise<boolean> {
    const values = [from.channelId, from.topic, to.channelId, to.topic];
    const rows = await transaction.query('left_behind_in_topic', HAS_STAYED, values);
    return rows.length > 0;
  }

  /** The number of subscribers of a channel. */
  async countSubscribers(transaction: Transaction, channelId: number): Promise<number> {
    const name = 'count_subscribers';
    const [row] = await transaction.query<{ count: number }>(name, COUNT_SUBSCRIBERS, [channelId]);
    return row?.count ?? 0;
  }

  /** The subscribers of a channel, in no order. */
  async subscribers(transaction: Transaction, channelId: number): Promise<number[]> {
    const values = [channelId];
    const rows = await transaction.query<{ id: number }>('subscribers_of', SUBSCRIBERS, values);
    return rows.map(({ id }) => id);
  }

  /** Adds messages as read for all subscribers of a channel that hides its history. */
  async addAsRead(
    transaction: Transaction,
    channelId: number,
    messageIds: readonly number[],
  ): Promise<void> {
    await transaction.query('add_moved_messages', ADD_AS_READ, [channelId, messageIds]);
  }

  /** Those of some accounts that may read messages of a channel that they have not received. */
  async readersAmong(
    transaction: Transaction,
    channelId: number,
    userIds: readonly number[],
  ): Promise<ReadersOfChannel> {
    const values = [channelId, userIds];
    const [found] = await transaction.query<ReadersOfChannel>(
      'readers_of_channel',
      SELECT_READERS,
      values,
    );
    return found ?? { isPrivate: true, userIds: [] };
  }

  /** Marks messages as read for readers who are not subscribed to both channels. */
  async read(
    transaction: Transaction,
    messageIds: readonly number[],
    from: number,
    to: number,
  ): Promise<ReadByMove[]> {
    return transaction.query<ReadByMove>('read_moved_messages', READ, [messageIds, from, to]);
  }
}
