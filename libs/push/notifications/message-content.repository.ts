import { Injectable } from '@nestjs/common';
import { roles } from '#platform/contracts';
import { batched } from '#platform/core';
import { Database } from '#platform/database';
import { triggerSql } from './decision/decision.sql.js';

/** A message to show to an account. */
interface MessageRequest {
  readonly userId: number;
  readonly messageId: number;
  /** The group that was mentioned, if the notification is for that. */
  readonly groupId: number | null;
}

/** Messages that may be shown on a device. */
interface MessagesOnDevice {
  readonly userId: number;
  readonly deviceId: number;
  readonly messageIds: readonly number[];
}

/** A participant of a direct conversation. */
interface Participant {
  readonly id: number;
  readonly fullName: string;
}

/** The part of a message that is the same for all readers. */
interface MessageText {
  readonly content: string;
  /** When the content was changed, as PostgreSQL writes it; null if it was not. */
  readonly editedAt: string | null;
  /** HTML; null when it is not stored and has to be rendered. */
  readonly rendered: string | null;
  /** By ascending id; null for a message of a channel. */
  readonly people: readonly Participant[] | null;
}

/** An unread message that its recipient may read. */
export interface UnreadMessage {
  readonly id: number;
  readonly sentAt: Date;
  readonly topic: string;
  readonly channel: { readonly id: number; readonly name: string } | null;
  readonly sender: { readonly id: number; readonly email: string; readonly fullName: string };
  /** Whether the reader is a guest who cannot see every account, and perhaps not the sender. */
  readonly needsVisibilityCheck: boolean;
  readonly subdomain: string;
  /** Null when it was removed. */
  readonly group: { readonly id: number; readonly name: string } | null;
  readonly text: MessageText;
}

interface ContentRow {
  place: number;
  id: number;
  sent_at: Date;
  topic: string;
  channel_id: number | null;
  channel_name: string | null;
  sender_id: number;
  sender_email: string;
  sender_name: string;
  needs_visibility_check: boolean;
  subdomain: string;
  group_id: number | null;
  group_name: string | null;
  text: MessageText | null;
}

// The text comes with the first reader of each message only, since it is long and the same for all. The wishes of the account are
// those of now: a message that it has muted meanwhile is not sent, nor one of a channel that it has left. Guests cannot see every
// sender. LIMIT forces look-ups by the whole key: a plan that was made for small tables would read all recipients of a message.
const UNREAD = `
  SELECT asked.place::int, sent.id::bigint, sent.sent_at, sent.topic,
    channel.id AS channel_id, channel.name AS channel_name,
    sender.id AS sender_id, sender.email AS sender_email, sender.full_name AS sender_name,
    account.role >= ${roles.guest} AND realm.can_access_all_users_group_id IS NOT NULL
      AND NOT sender.is_system_bot AS needs_visibility_check,
    realm.subdomain, mentioned_group.id AS group_id, mentioned_group.name AS group_name,
    CASE WHEN row_number() OVER (PARTITION BY sent.id ORDER BY asked.place) = 1
      THEN jsonb_build_object(
        'content', sent.content, 'rendered', sent.rendered,
        'editedAt', sent.last_edited_at,
        'people', (
          SELECT jsonb_agg(jsonb_build_object('id', person.id, 'fullName', person.full_name) ORDER BY person.id)
          FROM direct_conversation_members member JOIN users person ON person.id = member.user_id
          WHERE member.conversation_id = sent.conversation_id
        )
      ) END AS text
  FROM unnest($1::int[], $2::bigint[], $3::int[]) WITH ORDINALITY
    AS asked (user_id, message_id, group_id, place)
  CROSS JOIN LATERAL (
    SELECT is_mentioned, is_wildcard_mentioned FROM user_messages
    WHERE user_id = asked.user_id AND message_id = asked.message_id AND NOT is_read LIMIT 1
  ) AS received
  CROSS JOIN LATERAL (SELECT * FROM messages WHERE id = asked.message_id LIMIT 1) AS sent
  JOIN users sender ON sender.id = sent.sender_id
  JOIN users account ON account.id = asked.user_id
  JOIN realms realm ON realm.id = account.realm_id
  LEFT JOIN channels channel ON channel.id = sent.channel_id
  LEFT JOIN user_groups mentioned_group ON mentioned_group.id = asked.group_id AND mentioned_group.deactivated_at IS NULL
  LEFT JOIN LATERAL (
    SELECT * FROM subscriptions
    WHERE channel_id = sent.channel_id AND user_id = account.id LIMIT 1
  ) AS subscription ON true
  LEFT JOIN LATERAL (
    SELECT visibility FROM user_topics
    WHERE user_id = account.id AND channel_id = sent.channel_id AND topic_key = lower(sent.topic) LIMIT 1
  ) AS own ON true
  WHERE ${triggerSql()} IS NOT NULL
  ORDER BY asked.place`;

// False when each of the messages was read before its notification was sent to the device. A removal is sent after the
// notifications of its messages, and a delivery expires after a day. A message that the ledger has removed counts as
// shown. A message that was marked as unread may have been notified twice.
const SHOWN = `
  SELECT asked.place::int FROM unnest($1::int[], $2::int[], $3::jsonb[]) WITH ORDINALITY
    AS asked (user_id, device_id, message_ids, place)
  WHERE jsonb_array_length(asked.message_ids) > (
    SELECT count(*) FROM (
      SELECT notification.content -> 'messageId' FROM push_notifications notification
      JOIN push_deliveries delivery
        ON delivery.notification_id = notification.id AND delivery.device_id = asked.device_id
      WHERE notification.user_id = asked.user_id
        AND notification.accepted_at > now() - interval '1 day'
        AND notification.kind = 'message'
        AND asked.message_ids @> (notification.content -> 'messageId')
      GROUP BY 1 HAVING bool_and(delivery.state = 'withdrawn')
    ) AS unsent
  )`;

/** Reads messages for notifications. */
@Injectable()
export class MessageContentRepository {
  /**
   * Null for a message that was read or deleted, or that the account cannot read any more.
   * Calls of the same moment share a statement.
   */
  readonly unread = batched((requests: readonly MessageRequest[]) => this.#unread(requests));

  /**
   * Whether a device may show one of the messages; false when certainly none was sent to it. Calls
   * of the same moment share a statement.
   */
  readonly wereShown = batched((shown: readonly MessagesOnDevice[]) => this.#wereShown(shown));

  constructor(private readonly database: Database) {}

  async #wereShown(shown: readonly MessagesOnDevice[]): Promise<boolean[]> {
    const rows = await this.database.query<{ place: number }>('shown_messages', SHOWN, [
      shown.map(({ userId }) => userId),
      shown.map(({ deviceId }) => deviceId),
      shown.map(({ messageIds }) => JSON.stringify(messageIds)),
    ]);
    const places = new Set(rows.map(({ place }) => place));
    return shown.map((_, index) => places.has(index + 1));
  }

  async #unread(requests: readonly MessageRequest[]): Promise<(UnreadMessage | null)[]> {
    const rows = await this.database.query<ContentRow>('unread_messages', UNREAD, [
      requests.map(({ userId }) => userId),
      requests.map(({ messageId }) => messageId),
      requests.map(({ groupId }) => groupId),
    ]);
    const texts = new Map<number, MessageText>();
    for (const row of rows) if (row.text !== null) texts.set(row.id, row.text);
    const byPlace = new Map(rows.map((row) => [row.place, row]));
    return requests.map((_, index) => {
      const row = byPlace.get(index + 1);
      const text = row === undefined ? undefined : texts.get(row.id);
      return row === undefined || text === undefined ? null : toUnread(row, text);
    });
  }
}

const toUnread = (row: ContentRow, text: MessageText): UnreadMessage => ({
  id: row.id,
  sentAt: row.sent_at,
  topic: row.topic,
  channel: row.channel_id === null ? null : { id: row.channel_id, name: row.channel_name ?? '' },
  sender: { id: row.sender_id, email: row.sender_email, fullName: row.sender_name },
  needsVisibilityCheck: row.needs_visibility_check,
  subdomain: row.subdomain,
  group: row.group_id === null ? null : { id: row.group_id, name: row.group_name ?? '' },
  text,
});
