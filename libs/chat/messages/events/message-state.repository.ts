import { Injectable } from '@nestjs/common';
import { topicVisibilities } from '#chat/user-topics';
import type { Session } from '#platform/database';
import { IS_LEFT_BEHIND } from '../leaving/left-channel.repository.js';
import { isShownToSubscriber } from '../reading/readable-messages.js';

/** A direct conversation with recent messages. */
interface RecentConversation {
  readonly newestMessageId: number;
  /** Without the account itself, in ascending order. */
  readonly otherIds: readonly number[];
}

/** The unread messages of one topic without regard to case, or of one direct conversation. */
export interface UnreadGroup {
  /** Null for a direct conversation. */
  readonly channelId: number | null;
  /** Of its newest message. */
  readonly topic: string;
  /** Whether the account has muted the topic, or the channel without unmuting or following the topic. */
  readonly isMuted: boolean;
  /** The members of the direct conversation in ascending order; null for a channel. */
  readonly memberIds: readonly number[] | null;
  /** In ascending order. */
  readonly messageIds: readonly number[];
  /** The messages that mention the account, by name, by group, or as everyone. In ascending order. */
  readonly mentionIds: readonly number[];
  readonly everyoneMentionIds: readonly number[];
}

/** A group, or none, of a list: one JSON text of all groups would be parsed at once. */
type UnreadRow = { readonly isCut: boolean } & (UnreadGroup | { readonly messageIds: null });

/** The newest unread messages of an account. */
export interface UnreadState {
  readonly groups: readonly UnreadGroup[];
  /** Whether there are older ones. */
  readonly isCut: boolean;
}

/** Messages that a registration counts. */
const MAX_UNREAD = 50_000;
const MAX_STARRED = 10_000;
const MAX_RECENT = 1000;

const NEWEST = `
  SELECT max(message_id)::bigint AS id FROM user_messages WHERE user_id = $1 AND NOT is_historical`;

const STARRED = `
  SELECT coalesce(jsonb_agg(message_id ORDER BY message_id), '[]') AS ids FROM (
    SELECT message_id FROM user_messages WHERE user_id = $1 AND is_starred
    ORDER BY message_id DESC LIMIT $2
  ) AS newest`;

// A condition instead of a join: a plan for the join could walk through all messages of the account.
const newestOf = (conversation: string, limit: string, least = '0'): string => `
  SELECT m.id FROM messages m
  WHERE m.conversation_id = ${conversation} AND m.id >= ${least} AND (
    SELECT NOT um.is_historical FROM user_messages um
    WHERE um.user_id = $1 AND um.message_id = m.id
  )
  ORDER BY m.id DESC LIMIT ${limit}`;

// The messages of the conversation at rank n come after n - 1 newer messages of other conversations at least. No message
// before `bound` is among the newest ones; only with few long conversations there is no such bound.
const RECENT = `
  WITH talk AS MATERIALIZED (
    SELECT member.conversation_id, newest.id, row_number() OVER (ORDER BY newest.id DESC) AS rank
    FROM direct_conversation_members member
    CROSS JOIN LATERAL (${newestOf('member.conversation_id', '1')}) AS newest
    WHERE member.user_id = $1
    ORDER BY newest.id DESC LIMIT $2
  ),
  bound AS MATERIALIZED (
    SELECT message.id
    FROM talk CROSS JOIN LATERAL (${newestOf('talk.conversation_id', '30')}) AS message
    ORDER BY message.id DESC OFFSET $2 - 1 LIMIT 1
  ),
  recent AS (
    SELECT talk.conversation_id, message.id
    FROM talk CROSS JOIN LATERAL (
      ${newestOf('talk.conversation_id', '$2 + 1 - talk.rank', 'coalesce((SELECT id FROM bound), 0)')}
    ) AS message
    ORDER BY message.id DESC LIMIT $2
  )
  SELECT max(recent.id)::bigint AS "newestMessageId", (
    SELECT coalesce(jsonb_agg(member.user_id ORDER BY member.user_id), '[]')
    FROM direct_conversation_members member
    WHERE member.conversation_id = recent.conversation_id AND member.user_id <> $1
  ) AS "otherIds"
  FROM recent GROUP BY recent.conversation_id ORDER BY 1 DESC`;

const idsOf = (condition: string): string => `
  coalesce(jsonb_agg(message_id ORDER BY message_id) FILTER (WHERE ${condition}), '[]')`;

const UNREAD = `
  WITH unread AS MATERIALIZED (
    SELECT message_id, is_historical, is_mentioned, is_wildcard_mentioned,
      row_number() OVER (ORDER BY message_id DESC) AS rank
    FROM user_messages WHERE user_id = $1 AND NOT is_read
    ORDER BY message_id DESC LIMIT $2 + 1
  ),
  placed AS (
    SELECT unread.*, m.channel_id, m.conversation_id, m.topic,
      coalesce(own.visibility = ${topicVisibilities.muted}, s.is_muted, false) AS is_muted
    FROM unread JOIN messages m ON m.id = unread.message_id
    LEFT JOIN channels c ON c.id = m.channel_id
    LEFT JOIN subscriptions s ON s.channel_id = c.id AND s.user_id = $1 AND s.is_active
      AND ($3::bool OR c.archived_at IS NULL)
    LEFT JOIN user_topics own
      ON own.user_id = $1 AND own.channel_id = m.channel_id AND own.topic_key = lower(m.topic)
    LEFT JOIN left_channels left_channel
      ON left_channel.user_id = $1 AND left_channel.channel_id = m.channel_id
    WHERE unread.rank <= $2 AND (m.channel_id IS NULL OR s.user_id IS NOT NULL)
      AND NOT (${IS_LEFT_BEHIND}) AND ${isShownToSubscriber('unread.is_historical')}
  ),
  grouped AS (
    SELECT channel_id AS "channelId", is_muted AS "isMuted",
      (array_agg(topic ORDER BY message_id DESC))[1] AS topic,
      CASE WHEN conversation_id IS NOT NULL THEN (
        SELECT coalesce(jsonb_agg(member.user_id ORDER BY member.user_id), '[]')
        FROM direct_conversation_members member WHERE member.conversation_id = placed.conversation_id
      ) END AS "memberIds",
      ${idsOf('true')} AS "messageIds",
      ${idsOf('is_mentioned')} AS "mentionIds",
      ${idsOf('is_wildcard_mentioned')} AS "everyoneMentionIds"
    FROM placed GROUP BY channel_id, conversation_id, lower(topic), is_muted
  )
  SELECT cut."isCut", grouped.*
  FROM (SELECT count(*) > $2 AS "isCut" FROM unread) AS cut LEFT JOIN grouped ON true`;

/** Reads the messages in the state of a registration, with one statement each. */
@Injectable()
export class MessageStateRepository {
  /** The newest message that the account has received; -1 without messages. */
  async newest(snapshot: Session, userId: number): Promise<number> {
    const name = 'newest_received_message';
    const [row] = await snapshot.query<{ id: number | null }>(name, NEWEST, [userId]);
    return row?.id ?? -1;
  }

  /** The newest starred messages in ascending order. */
  async starred(snapshot: Session, userId: number): Promise<readonly number[]> {
    const values = [userId, MAX_STARRED];
    const [row] = await snapshot.query<{ ids: number[] }>('starred_messages', STARRED, values);
    return row?.ids ?? [];
  }

  /** The conversations of the newest direct messages of the account, newest first. */
  async recentConversations(snapshot: Session, userId: number): Promise<RecentConversation[]> {
    const values = [userId, MAX_RECENT];
    return snapshot.query<RecentConversation>('recent_conversations', RECENT, values);
  }

  /**
   * The newest unread messages, without those of channels that the account is not subscribed to or has left meanwhile, and
   * of archived channels unless `hasArchived`.
   */
  async unread(snapshot: Session, userId: number, hasArchived: boolean): Promise<UnreadState> {
    const values = [userId, MAX_UNREAD, hasArchived];
    const rows = await snapshot.query<UnreadRow>('unread_messages', UNREAD, values);
    // Without a group there is one row.
    const groups = rows.flatMap((row) => (row.messageIds === null ? [] : [row as UnreadGroup]));
    return { groups, isCut: rows[0]?.isCut ?? false };
  }
}
