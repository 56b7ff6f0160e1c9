import { Injectable } from '@nestjs/common';
import { topicVisibilities } from '#chat/user-topics';
import { roles } from '#directory/roles';
import { queryRow, type Transaction } from '#platform/database';
import {
  MESSAGE_COLUMNS,
  MESSAGE_JOINS,
  type StoredMessage,
} from '../reading/message.repository.js';
import type { ComposedMessage } from './composed-message.js';
import { conversationKey, membersOf } from './new-message.rules.js';
import { shareSender } from './sender-lock.js';

// The lock serialises the messages of a place and is taken before the id is allocated: no reader sees a message and
// later one with a smaller id appear before it.
// A change of the subscriptions holds the channel too: the function reads the subscribers after the lock, while the statement
// itself sees those of its start.
const CHANNEL = `
  place AS (
    SELECT id AS channel_id, NULL::int AS conversation_id FROM channels
    WHERE id = $10 AND realm_id = $1 AND archived_at IS NULL
    FOR NO KEY UPDATE
  ),
  audience AS (
    SELECT subscriber.user_id FROM place CROSS JOIN LATERAL channel_audience(place.channel_id) AS subscriber
  )`;

// Of two concurrent first messages one waits for the other's row, and then finds it.
const CONVERSATION = `
  known AS (
    SELECT id FROM direct_conversations WHERE realm_id = $1 AND key = $10 FOR NO KEY UPDATE
  ),
  created AS (
    INSERT INTO direct_conversations (realm_id, key)
    SELECT $1, $10 WHERE NOT EXISTS (SELECT 1 FROM known)
    ON CONFLICT (realm_id, key) DO UPDATE SET key = excluded.key
    RETURNING id
  ),
  members AS (
    INSERT INTO direct_conversation_members (conversation_id, user_id)
    SELECT created.id, unnest($12::int[]) FROM created
    ON CONFLICT DO NOTHING
  ),
  place AS (
    SELECT NULL::int AS channel_id, id AS conversation_id
    FROM (SELECT id FROM known UNION ALL SELECT id FROM created) AS either
  ),
  audience AS (
    SELECT u.id AS user_id FROM users u WHERE u.id = ANY($12::int[]) AND u.is_active
  )`;

// A change that the recipient has made, and what others do with a topic that the recipient does not follow.
const IS_KNOWN = `
  audience.user_id IS NOT DISTINCT FROM $15::int OR $16::boolean AND NOT EXISTS (
    SELECT FROM user_topics own
    WHERE own.user_id = audience.user_id AND own.channel_id = message.channel_id
      AND own.topic_key = lower($11) AND own.visibility = ${topicVisibilities.followed}
  )`;

interface DeliveryParts {
  readonly alertedIds: string;
  readonly participantIds: string;
  /** Whether a recipient other than the sender has read the message. */
  readonly isKnown: string;
}

// One atomic statement for any number of recipients. A message from a muted sender is stored as read.
const deliveryTo = (
  place: string,
  { alertedIds, participantIds, isKnown }: DeliveryParts,
): string => `
  WITH ${place},
  turn AS MATERIALIZED (
    SELECT channel_id, conversation_id, ${shareSender('$2')}::text FROM place
  ),
  message AS (
    INSERT INTO messages
      (realm_id, sender_id, channel_id, conversation_id, topic, content, rendered, mentions_topic, is_silent, client, sent_at)
    SELECT $1, $2, channel_id, conversation_id, $11, $3, $4, cardinality(${participantIds}::int[]) > 0,
      $14, $5, clock_timestamp()
    FROM turn
    RETURNING id, channel_id, sent_at
  ),
  first_message AS (
    UPDATE channels SET first_message_id = message.id FROM message
    WHERE channels.id = message.channel_id AND first_message_id IS NULL
  ),
  traffic AS (
    INSERT INTO channel_traffic (channel_id, day, messages)
    SELECT channel_id, (sent_at AT TIME ZONE 'UTC')::date, 1 FROM message WHERE channel_id IS NOT NULL
    ON CONFLICT (channel_id, day) DO UPDATE SET messages = channel_traffic.messages + 1
  ),
  recipients AS (
    INSERT INTO user_messages
      (user_id, message_id, is_read, is_mentioned, is_wildcard_mentioned, has_alert_word)
    SELECT audience.user_id, message.id,
      CASE WHEN audience.user_id = $2 THEN $6 ELSE muting.user_id IS NOT NULL OR ${isKnown} END,
      mentioned.user_id IS NOT NULL,
      $8 OR participant.user_id IS NOT NULL,
      alerted.user_id IS NOT NULL
    FROM message CROSS JOIN audience
    LEFT JOIN muted_users muting ON muting.user_id = audience.user_id AND muting.muted_user_id = $2
    LEFT JOIN unnest($7::int[]) AS mentioned (user_id) ON mentioned.user_id = audience.user_id
    LEFT JOIN unnest(${participantIds}::int[]) AS participant (user_id)
      ON participant.user_id = audience.user_id
    LEFT JOIN unnest(${alertedIds}::int[]) AS alerted (user_id) ON alerted.user_id = audience.user_id
  ),
  links AS (
    INSERT INTO attachment_messages (attachment_id, message_id)
    SELECT a.id, message.id
    FROM attachments a CROSS JOIN message
    WHERE a.id = ANY($9::int[])
    FOR KEY SHARE OF a
  )
  SELECT id::bigint FROM message`;

const DELIVER_TO_CHANNEL = deliveryTo(CHANNEL, {
  alertedIds: '$12',
  participantIds: '$13',
  isKnown: IS_KNOWN,
});
const DELIVER_TO_CONVERSATION = deliveryTo(CONVERSATION, {
  alertedIds: '$13',
  participantIds: "'{}'",
  isKnown: 'false',
});

// The insertion does not see a muting that was stored while it waited for the lock. This statement sees it; a later
// muting waits for the end of this transaction. The outer statement does not see the rows that `muter` changes. A message
// of a channel may have recipients who cannot see its sender only if the sender is not subscribed.
const RECORD = `
  WITH muter AS (
    UPDATE user_messages um SET is_read = true FROM muted_users muting
    WHERE um.message_id = $2::bigint AND NOT um.is_read
      AND muting.user_id = um.user_id AND muting.muted_user_id = $1
    RETURNING um.user_id
  ),
  recipient AS MATERIALIZED (
    SELECT um.user_id, um.is_read OR muter.user_id IS NOT NULL AS is_read,
      um.is_mentioned, um.is_wildcard_mentioned, um.has_alert_word
    FROM user_messages um LEFT JOIN muter ON muter.user_id = um.user_id
    WHERE um.message_id = $2::bigint
  )
  SELECT ${MESSAGE_COLUMNS},
    (
      SELECT coalesce(json_agg(json_build_object(
        'isRead', is_read, 'isMentioned', is_mentioned, 'isWildcardMentioned', is_wildcard_mentioned,
        'isTopicMentioned', is_wildcard_mentioned AND m.mentions_topic,
        'hasAlertWord', has_alert_word, 'userIds', user_ids
      )), '[]')
      FROM (
        SELECT is_read, is_mentioned, is_wildcard_mentioned, has_alert_word,
          array_agg(user_id ORDER BY user_id) AS user_ids
        FROM recipient GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
      ) AS alike
    ) AS recipients,
    CASE WHEN NOT sender.is_system_bot AND own.can_access_all_users_group_id IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM subscriptions s
      WHERE s.channel_id = m.channel_id AND s.user_id = m.sender_id AND s.is_active
    ) THEN (
      SELECT coalesce(json_agg(guest.id), '[]') FROM recipient JOIN users guest ON guest.id = recipient.user_id
      WHERE guest.role >= ${roles.guest} AND guest.id <> m.sender_id AND m.channel_id IS NOT NULL
    ) ELSE '[]' END AS "guestIdsToCheck",
    CASE WHEN own.can_access_all_users_group_id IS NOT NULL AND m.conversation_id IS NOT NULL
      AND NOT EXISTS (
        SELECT 1 FROM messages earlier
        WHERE earlier.conversation_id = m.conversation_id AND earlier.id < m.id
      )
    THEN (
      SELECT coalesce(json_agg(guest.id), '[]') FROM recipient JOIN users guest ON guest.id = recipient.user_id
      WHERE guest.role >= ${roles.guest}
    ) ELSE '[]' END AS "guestIdsOfConversation",
    sender.is_active AS "isSenderActive",
    EXISTS (
      SELECT 1 FROM event_queues queue WHERE queue.id = $3 AND queue.user_id = m.sender_id
    ) AS "isQueueOfSender",
    coalesce(c.first_message_id = m.id, false) AS "isFirst",
    traffic.messages = 1 AS "isFirstOfDay",
    (
      SELECT max(earlier.day) - DATE '1970-01-01' FROM channel_traffic earlier
      WHERE earlier.channel_id = traffic.channel_id AND earlier.day < traffic.day
        AND traffic.messages = 1 AND earlier.messages > 0
    ) AS "previousDay"
  FROM messages m ${MESSAGE_JOINS}
  JOIN realms own ON own.id = m.realm_id
  LEFT JOIN channel_traffic traffic
    ON traffic.channel_id = m.channel_id AND traffic.day = (m.sent_at AT TIME ZONE 'UTC')::date
  WHERE m.id = $2::bigint`;

/** Recipients with the same flags of a message. */
export interface RecipientGroup {
  readonly isRead: boolean;
  readonly isMentioned: boolean;
  /** As a subscriber of the channel or as a participant of the topic. */
  readonly isWildcardMentioned: boolean;
  readonly isTopicMentioned: boolean;
  readonly hasAlertWord: boolean;
  /** In ascending order. */
  readonly userIds: readonly number[];
}

/** A stored message with its recipients, and with the facts that decide on the audience of its events. */
export interface MessageWithRecipients extends StoredMessage {
  readonly recipients: readonly RecipientGroup[];
  /** The guests among the recipients who may be unable to see the sender. */
  readonly guestIdsToCheck: readonly number[];
  /** For the first message of a direct conversation: the guests in it, where guests may see only some accounts. */
  readonly guestIdsOfConversation: readonly number[];
  /** Whether the sender is still active after the message has waited for its place. */
  readonly isSenderActive: boolean;
  /** Whether the given event queue belongs to the sender. */
  readonly isQueueOfSender: boolean;
  /** Whether it is the first message of its channel. */
  readonly isFirst: boolean;
  /** Whether it is the first message of its channel on its day (UTC); null for a direct message. */
  readonly isFirstOfDay: boolean | null;
  /** For such a message: the last earlier day with a message, in days since the beginning of 1970. */
  readonly previousDay: number | null;
}

/** Stores new messages with the rows of their recipients. */
@Injectable()
export class NewMessageRepository {
  /**
   * Stores a message for all its recipients and resolves with its id; null for an unknown or archived channel.
   */
  async insert(transaction: Transaction, message: ComposedMessage): Promise<number | null> {
    const { place } = message;
    const common = [
      message.realmId,
      message.senderId,
      message.content,
      message.rendered,
      message.client,
      message.isReadBySender,
      message.mentionedUserIds,
      message.mentionsEveryone,
      message.attachmentIds,
    ];
    const [row] =
      'channelId' in place
        ? await transaction.query<{ id: number }>('deliver_to_channel', DELIVER_TO_CHANNEL, [
            ...common,
            place.channelId,
            place.topic,
            message.alertedUserIds,
            message.mentionedParticipantIds,
            message.isSilent,
            message.readBy,
            message.isForFollowers,
          ])
        : await toConversation(transaction, common, {
            members: membersOf(message.senderId, place.userIds),
            alertedUserIds: message.alertedUserIds,
            isSilent: message.isSilent,
          });
    return row?.id ?? null;
  }

  /**
   * Runs after `insert` in its transaction: marks the message as read for users who have muted its sender, and resolves
   * with the stored message. `queueId` is the event queue of the client that sends it.
   */
  async record(
    transaction: Transaction,
    messageId: number,
    senderId: number,
    queueId: string | null,
  ): Promise<MessageWithRecipients> {
    const values = [senderId, messageId, queueId];
    return queryRow<MessageWithRecipients>(transaction, 'record_message', RECORD, values);
  }
}

const toConversation = (
  transaction: Transaction,
  common: readonly unknown[],
  {
    members,
    alertedUserIds,
    isSilent,
  }: Pick<ComposedMessage, 'alertedUserIds' | 'isSilent'> & { readonly members: readonly number[] },
): Promise<{ id: number }[]> =>
  transaction.query('deliver_to_conversation', DELIVER_TO_CONVERSATION, [
    ...common,
    conversationKey(members),
    '',
    members,
    alertedUserIds,
    isSilent,
  ]);
