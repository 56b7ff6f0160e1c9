import { Injectable } from '@nestjs/common';
import { Database } from '#database';
import { gathered } from '../gather.js';

/** A message that somebody is to be told of. */
export interface WantedMessage {
  readonly userId: number;
  readonly messageId: number;
  /** The group whose mention they are told of. */
  readonly groupId: number | null;
}

/** Messages that were to be told on a device. */
export interface ToldMessages {
  readonly userId: number;
  readonly deviceId: number;
  readonly messageIds: readonly number[];
}

/** Somebody who takes part in a direct conversation. */
export interface Participant {
  readonly id: number;
  readonly fullName: string;
}

/** What all readers of a message read alike. */
export interface MessageWords {
  readonly content: string;
  /** Null where whoever reads has to make it. */
  readonly rendered: string | null;
  /** By ascending id; null for a message of a channel. */
  readonly people: readonly Participant[] | null;
}

/** A message that somebody has not read and may read, as it is now. */
export interface UnreadMessage {
  readonly id: number;
  readonly sentAt: Date;
  readonly topic: string;
  readonly channel: { readonly id: number; readonly name: string } | null;
  readonly sender: { readonly id: number; readonly email: string; readonly fullName: string };
  /** Whether it has to be asked if the reader may know of the sender. */
  readonly isSenderInQuestion: boolean;
  readonly subdomain: string;
  /** Null when it is not there any more. */
  readonly group: { readonly id: number; readonly name: string } | null;
  readonly words: MessageWords;
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
  is_sender_in_question: boolean;
  subdomain: string;
  group_id: number | null;
  group_name: string | null;
  words: MessageWords | null;
}

// What is said comes with the first reader of each message, since it is long and the same for all. Whoever
// has left a channel is told nothing more of it. Guests may not know of everyone.
const UNREAD = `
  SELECT asked.place::int, message.id::bigint, message.sent_at, message.topic,
    channel.id AS channel_id, channel.name AS channel_name,
    sender.id AS sender_id, sender.email AS sender_email, sender.full_name AS sender_name,
    reader.role >= 600 AND realm.can_access_all_users_group_id IS NOT NULL
      AND NOT sender.is_system_bot AS is_sender_in_question,
    realm.subdomain, called.id AS group_id, called.name AS group_name,
    CASE WHEN row_number() OVER (PARTITION BY message.id ORDER BY asked.place) = 1
      THEN jsonb_build_object(
        'content', message.content, 'rendered', message.rendered,
        'people', (
          SELECT jsonb_agg(jsonb_build_object('id', person.id, 'fullName', person.full_name) ORDER BY person.id)
          FROM direct_conversation_members member JOIN users person ON person.id = member.user_id
          WHERE member.conversation_id = message.conversation_id
        )
      ) END AS words
  FROM unnest($1::int[], $2::bigint[], $3::int[]) WITH ORDINALITY
    AS asked (user_id, message_id, group_id, place)
  JOIN user_messages received
    ON received.user_id = asked.user_id AND received.message_id = asked.message_id
    AND NOT received.is_read
  JOIN messages message ON message.id = asked.message_id
  JOIN users sender ON sender.id = message.sender_id
  JOIN users reader ON reader.id = asked.user_id
  JOIN realms realm ON realm.id = reader.realm_id
  LEFT JOIN channels channel ON channel.id = message.channel_id
  LEFT JOIN user_groups called ON called.id = asked.group_id AND called.deactivated_at IS NULL
  WHERE message.channel_id IS NULL OR EXISTS (
    SELECT 1 FROM subscriptions subscription
    WHERE subscription.channel_id = message.channel_id AND subscription.user_id = reader.id
      AND subscription.is_active
  )
  ORDER BY asked.place`;

// None of the messages has come to the device: each was read while it waited. Every removal comes behind what
// told of its messages, and what waited longer than a day has expired. What the ledger does not know any more
// may have been shown.
const TOLD = `
  SELECT asked.place::int FROM unnest($1::int[], $2::int[], $3::jsonb[]) WITH ORDINALITY
    AS asked (user_id, device_id, message_ids, place)
  WHERE jsonb_array_length(asked.message_ids) > (
    SELECT count(*) FROM push_notifications notification
    JOIN push_deliveries delivery
      ON delivery.notification_id = notification.id AND delivery.device_id = asked.device_id
    WHERE notification.user_id = asked.user_id
      AND notification.accepted_at > now() - interval '1 day'
      AND notification.kind = 'message' AND delivery.state = 'withdrawn'
      AND asked.message_ids @> (notification.content -> 'messageId')
  )`;

/** Messages, as they are at the moment that somebody is told of them. */
@Injectable()
export class MessageContentRepository {
  /**
   * Null for a message that its reader has read by now, that is gone, or that they may not read any more.
   * Calls of the same moment share a statement.
   */
  readonly unread = gathered((wanted: readonly WantedMessage[]) => this.#unread(wanted));

  /**
   * Whether a device may show one of the messages; false when it is certain that none has come to it. Calls
   * of the same moment share a statement.
   */
  readonly wereTold = gathered((told: readonly ToldMessages[]) => this.#wereTold(told));

  constructor(private readonly database: Database) {}

  async #wereTold(told: readonly ToldMessages[]): Promise<boolean[]> {
    const rows = await this.database.query<{ place: number }>('told_messages', TOLD, [
      told.map(({ userId }) => userId),
      told.map(({ deviceId }) => deviceId),
      told.map(({ messageIds }) => JSON.stringify(messageIds)),
    ]);
    const places = new Set(rows.map(({ place }) => place));
    return told.map((_, index) => places.has(index + 1));
  }

  async #unread(wanted: readonly WantedMessage[]): Promise<(UnreadMessage | null)[]> {
    const rows = await this.database.query<ContentRow>('unread_messages', UNREAD, [
      wanted.map(({ userId }) => userId),
      wanted.map(({ messageId }) => messageId),
      wanted.map(({ groupId }) => groupId),
    ]);
    const words = new Map<number, MessageWords>();
    for (const row of rows) if (row.words !== null) words.set(row.id, row.words);
    const byPlace = new Map(rows.map((row) => [row.place, row]));
    return wanted.map((_, index) => {
      const row = byPlace.get(index + 1);
      const said = row === undefined ? undefined : words.get(row.id);
      return row === undefined || said === undefined ? null : toUnread(row, said);
    });
  }
}

const toUnread = (row: ContentRow, words: MessageWords): UnreadMessage => ({
  id: row.id,
  sentAt: row.sent_at,
  topic: row.topic,
  channel: row.channel_id === null ? null : { id: row.channel_id, name: row.channel_name ?? '' },
  sender: { id: row.sender_id, email: row.sender_email, fullName: row.sender_name },
  isSenderInQuestion: row.is_sender_in_question,
  subdomain: row.subdomain,
  group: row.group_id === null ? null : { id: row.group_id, name: row.group_name ?? '' },
  words,
});
