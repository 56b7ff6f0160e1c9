import { Injectable } from '@nestjs/common';
import { directGroupsOf } from '#directory/groups';
import { roles } from '#directory/roles';
import type { Transaction } from '#platform/database';
import type { ReceivedFlags } from '../reading/message.repository.js';

/** Readers of messages with the same flags of one of them. */
export interface ReaderGroup {
  /** Null for readers who neither received the message nor set a flag. */
  readonly received: ReceivedFlags | null;
  /** In ascending order. */
  readonly userIds: readonly number[];
}

// The rules of IS_READABLE for all accounts. Accounts without a subscription get the event only if they have a row: clients of
// others do not show the channel.
const SELECT_READERS = `
  WITH RECURSIVE channel AS MATERIALIZED (
    SELECT c.id, c.is_private, c.is_web_public,
      coalesce(c.is_history_public, NOT c.is_private) AS is_history_public,
      ARRAY[c.can_add_subscribers_id, c.can_subscribe_id] AS group_ids
    FROM messages m JOIN channels c ON c.id = m.channel_id WHERE m.id = $1::bigint
  ),
  allowed (group_id) AS (
    SELECT unnest(group_ids) FROM channel WHERE is_private
    UNION
    SELECT s.subgroup_id FROM user_group_subgroups s JOIN allowed ON s.supergroup_id = allowed.group_id
  ),
  holder AS MATERIALIZED (
    SELECT um.user_id, bool_and(um.is_historical) AS is_historical
    FROM user_messages um WHERE um.message_id = ANY($2::bigint[]) GROUP BY um.user_id
  ),
  reader AS (
    SELECT member.user_id FROM messages m
    JOIN direct_conversation_members member ON member.conversation_id = m.conversation_id
    WHERE m.id = $1::bigint
    UNION
    SELECT s.user_id FROM channel
    JOIN subscriptions s ON s.channel_id = channel.id AND s.is_active
    LEFT JOIN holder ON holder.user_id = s.user_id
    WHERE channel.is_history_public OR NOT holder.is_historical
    UNION
    SELECT u.id FROM channel
    CROSS JOIN (
      (SELECT user_id FROM holder UNION SELECT user_id FROM unnest($3::int[]) AS earlier (user_id))
      EXCEPT
      SELECT s.user_id FROM channel
      JOIN subscriptions s ON s.channel_id = channel.id AND s.is_active
    ) AS other
    JOIN users u ON u.id = other.user_id LEFT JOIN holder ON holder.user_id = u.id
    WHERE (channel.is_history_public OR NOT holder.is_historical)
      AND (channel.is_web_public OR u.role < ${roles.guest} AND (NOT channel.is_private OR EXISTS (
        SELECT 1 FROM allowed JOIN ${directGroupsOf('u.id')} AS own USING (group_id)
      )))
  )
  SELECT CASE WHEN um.user_id IS NOT NULL THEN jsonb_build_object(
      'isRead', um.is_read, 'isStarred', um.is_starred, 'isCollapsed', um.is_collapsed,
      'hidesLinkPreviews', um.hides_link_previews,
      'isMentioned', um.is_mentioned, 'isWildcardMentioned', um.is_wildcard_mentioned,
      'isTopicMentioned', um.is_wildcard_mentioned
        AND (SELECT mentions_topic FROM messages WHERE id = $1::bigint),
      'hasAlertWord', um.has_alert_word, 'isHistorical', um.is_historical
    ) END AS received,
    array_agg(u.id ORDER BY u.id) AS "userIds"
  FROM reader JOIN users u ON u.id = reader.user_id AND u.is_active
  LEFT JOIN user_messages um ON um.message_id = $1::bigint AND um.user_id = u.id
  GROUP BY 1`;

/** Starred messages of accounts that have starred the same ones. */
interface StarredMessages {
  /** In ascending order. */
  readonly messageIds: readonly number[];
  /** In ascending order. */
  readonly userIds: readonly number[];
}

const SELECT_STARRED = `
  WITH of_user AS (
    SELECT user_id, jsonb_agg(message_id ORDER BY message_id) AS ids FROM user_messages
    WHERE message_id = ANY($1::bigint[]) AND is_starred AND user_id <> ALL($2::int[])
    GROUP BY user_id
  )
  SELECT ids AS "messageIds", array_agg(user_id ORDER BY user_id) AS "userIds"
  FROM of_user GROUP BY ids`;

/** Reads the accounts that get the events of messages. */
@Injectable()
export class MessageReadersRepository {
  /**
   * The accounts that may read one of the messages, which are of one place: its subscribers or members, and others who have
   * a row, or who are among `earlierIds`: the readers before a change. With their flags of the first message.
   */
  async of(
    transaction: Transaction,
    messageIds: readonly [number, ...number[]],
    earlierIds: readonly number[] = [],
  ): Promise<ReaderGroup[]> {
    const values = [messageIds[0], messageIds, earlierIds];
    return transaction.query<ReaderGroup>('message_readers', SELECT_READERS, values);
  }

  /** Those of the messages that accounts have starred; without some accounts. */
  async starred(
    transaction: Transaction,
    messageIds: readonly number[],
    withoutIds: readonly number[],
  ): Promise<StarredMessages[]> {
    const values = [messageIds, withoutIds];
    return transaction.query<StarredMessages>('starred_by_others', SELECT_STARRED, values);
  }
}

/** All readers in ascending order. */
export const idsOfReaders = (readers: readonly ReaderGroup[]): number[] =>
  readers.flatMap(({ userIds }) => userIds).toSorted((one, other) => one - other);

/** The readers that are not among some accounts. */
export function readersWithout(
  readers: readonly ReaderGroup[],
  without: readonly number[],
): ReaderGroup[] {
  const excluded = new Set(without);
  return readers
    .map(({ received, userIds }) => ({
      received,
      userIds: userIds.filter((id) => !excluded.has(id)),
    }))
    .filter(({ userIds }) => userIds.length > 0);
}
