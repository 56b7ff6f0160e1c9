import { Injectable } from '@nestjs/common';
import { topicVisibilities } from '#chat/user-topics';
import type { Transaction } from '#platform/database';
import type { MessageReader } from '../changing/locked-message.repository.js';
import { IS_READABLE, isShownToSubscriber, JOINED_CHANNEL } from '../reading/readable-messages.js';

/** A flag that users set also on messages that were not sent to them. */
export type AddedFlag = 'starred' | 'collapsed' | 'hide_link_previews';

/** A flag that users set. */
export type OwnFlag = AddedFlag | 'read';

/** A change of one flag of some messages. */
export interface FlagChange {
  readonly flag: OwnFlag;
  /** True to set the flag, false to remove it. */
  readonly isSet: boolean;
  readonly messageIds: readonly number[];
}

/** A message whose row of the account has the requested flag. */
export interface FlagRow {
  readonly id: number;
  /** Whether the row had another flag before. */
  readonly isChanged: boolean;
}

/** A message to mark as unread. */
export interface UnreadMessage extends FlagRow {
  /** The channel of the message if the account is not subscribed to it: the message stays read. Else null. */
  readonly ignoredIn: number | null;
  /** Null for a direct message. */
  readonly channelId: number | null;
  readonly topic: string;
  /** Whether the account has muted the topic, or the channel without unmuting or following the topic. */
  readonly isMuted: boolean;
  readonly isMentioned: boolean;
  readonly isWildcardMentioned: boolean;
  /** The other members of the direct conversation in ascending order; null for a message of a channel. */
  readonly otherIds: readonly number[] | null;
}

// Locks the rows in the order of the messages, as all statements that change several rows of an account do. An account may
// have rows of messages that it may read no more: their flags can only be removed. The update has no join: PostgreSQL expects few
// messages of an account, and would compare each of them with each.
const changeOf = (column: string): string => `
  WITH held AS (
    SELECT own.message_id, own.${column} AS was_set
    FROM user_messages own
    JOIN messages m ON m.id = own.message_id
    JOIN users reader ON reader.id = own.user_id
    ${JOINED_CHANNEL}
    WHERE own.user_id = $1 AND own.message_id = ANY($4::bigint[]) AND m.realm_id = $3
      AND (NOT $5::boolean OR ${IS_READABLE})
    ORDER BY own.message_id
    FOR NO KEY UPDATE OF own
  ),
  changed AS (
    UPDATE user_messages SET ${column} = $5
    WHERE user_id = $1 AND message_id = ANY(ARRAY(SELECT message_id FROM held WHERE was_set <> $5))
  )
  SELECT message_id::bigint AS id, was_set <> $5 AS "isChanged" FROM held ORDER BY message_id`;

const CHANGES = {
  starred: changeOf('is_starred'),
  collapsed: changeOf('is_collapsed'),
  hide_link_previews: changeOf('hides_link_previews'),
} as const;

// A deletion of messages and a move lock them before the rows of their readers. A move also sees then which accounts have rows, or
// this transaction sees the new place. Messages that the account cannot read are not locked.
const HOLD_READABLE = `
  SELECT FROM messages WHERE id = ANY(ARRAY(
    SELECT m.id FROM messages m JOIN users reader ON reader.id = $1 ${JOINED_CHANNEL}
    WHERE m.id = ANY($4::bigint[]) AND m.realm_id = $3 AND ${IS_READABLE}
  ))
  ORDER BY id FOR SHARE`;

// A message that arrives at the same moment has a row of its own. One that is deleted at the same moment gets none.
const ADD_ROWS = `
  INSERT INTO user_messages (user_id, message_id, is_read, is_historical)
  SELECT reader.id, m.id, true, true
  FROM messages m JOIN users reader ON reader.id = $1 ${JOINED_CHANNEL}
  WHERE m.id = ANY($4::bigint[]) AND m.realm_id = $3 AND ${IS_READABLE}
  ORDER BY m.id
  FOR KEY SHARE OF m
  ON CONFLICT (user_id, message_id) DO NOTHING`;

// A move changes a message before it looks at the unread rows of its readers. So it waits for the marking, or the marking waits
// for the move and sees the new place.
const HOLD_PLACES = `
  SELECT FROM messages WHERE id = ANY(ARRAY(
    SELECT um.message_id FROM user_messages um WHERE um.user_id = $1 AND um.message_id = ANY($2::bigint[])
  ))
  ORDER BY id FOR SHARE`;

// The event has the present topic, which a channel that hides its history since then does not show to the account.
const MARK_UNREAD = `
  WITH held AS (
    SELECT um.message_id, um.is_read, um.is_mentioned, um.is_wildcard_mentioned,
      m.channel_id, m.conversation_id, m.topic,
      coalesce(own.visibility = ${topicVisibilities.muted}, s.is_muted, false) AS is_muted,
      CASE WHEN s.user_id IS NULL THEN m.channel_id END AS ignored_in
    FROM user_messages um
    JOIN messages m ON m.id = um.message_id
    LEFT JOIN channels c ON c.id = m.channel_id
    LEFT JOIN subscriptions s
      ON s.channel_id = m.channel_id AND s.user_id = um.user_id AND s.is_active
    LEFT JOIN user_topics own
      ON own.user_id = um.user_id AND own.channel_id = m.channel_id AND own.topic_key = lower(m.topic)
    WHERE um.user_id = $1 AND um.message_id = ANY($2::bigint[])
      AND (s.user_id IS NULL OR ${isShownToSubscriber('um.is_historical')})
    ORDER BY um.message_id
    FOR NO KEY UPDATE OF um
  ),
  changed AS (
    UPDATE user_messages SET is_read = false
    WHERE user_id = $1
      AND message_id = ANY(ARRAY(SELECT message_id FROM held WHERE held.is_read AND ignored_in IS NULL))
  )
  SELECT message_id::bigint AS id, is_read AND ignored_in IS NULL AS "isChanged",
    ignored_in AS "ignoredIn", channel_id AS "channelId", topic, is_muted AS "isMuted",
    is_mentioned AS "isMentioned", is_wildcard_mentioned AS "isWildcardMentioned",
    CASE WHEN conversation_id IS NOT NULL THEN (
      SELECT coalesce(jsonb_agg(member.user_id ORDER BY member.user_id), '[]')
      FROM direct_conversation_members member
      WHERE member.conversation_id = held.conversation_id AND member.user_id <> $1
    ) END AS "otherIds"
  FROM held ORDER BY message_id`;

const CHANNELS_WITHOUT_SUBSCRIPTION = `
  SELECT DISTINCT c.id FROM messages m JOIN users reader ON reader.id = $1 ${JOINED_CHANNEL}
  WHERE m.id = ANY($4::bigint[]) AND m.realm_id = $3 AND s.user_id IS NULL AND c.id IS NOT NULL
    AND ${IS_READABLE}`;

/** Changes the flags of messages. */
@Injectable()
export class MessageFlagRepository {
  /**
   * Resolves with the messages that have a row of the account, in ascending order. A flag is set only on those that the
   * account may read.
   */
  async change(
    transaction: Transaction,
    reader: MessageReader,
    { flag, isSet, messageIds }: FlagChange & { readonly flag: AddedFlag },
  ): Promise<FlagRow[]> {
    const values = [...valuesOf(reader, messageIds), isSet];
    return transaction.query<FlagRow>(`flag_${flag}`, CHANGES[flag], values);
  }

  /** Blocks moves and deletions of the messages that the account may read until the end of the transaction. */
  async hold(
    transaction: Transaction,
    reader: MessageReader,
    messageIds: readonly number[],
  ): Promise<void> {
    await transaction.query('hold_readable_messages', HOLD_READABLE, valuesOf(reader, messageIds));
  }

  /** Adds rows for the messages that the account may read without a row. They have no flag that the account sets. */
  async addRows(
    transaction: Transaction,
    reader: MessageReader,
    messageIds: readonly number[],
  ): Promise<void> {
    await transaction.query('add_historical_messages', ADD_ROWS, valuesOf(reader, messageIds));
  }

  /** Resolves with the messages that have a row of the account, in ascending order. */
  async markUnread(
    transaction: Transaction,
    userId: number,
    messageIds: readonly number[],
  ): Promise<UnreadMessage[]> {
    const values = [userId, messageIds];
    await transaction.query('hold_places', HOLD_PLACES, values);
    return transaction.query<UnreadMessage>('mark_unread', MARK_UNREAD, values);
  }

  /** The channels of messages that the account may read without a subscription. */
  async channelsWithoutSubscription(
    transaction: Transaction,
    reader: MessageReader,
    messageIds: readonly number[],
  ): Promise<number[]> {
    const rows = await transaction.query<{ id: number }>(
      'channels_without_subscription',
      CHANNELS_WITHOUT_SUBSCRIPTION,
      valuesOf(reader, messageIds),
    );
    return rows.map(({ id }) => id);
  }
}

const valuesOf = ({ userId, realmId, groups }: MessageReader, messageIds: readonly number[]) => [
  userId,
  [...groups],
  realmId,
  messageIds,
];
