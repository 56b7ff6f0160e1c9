import { Injectable } from '@nestjs/common';
import { Database } from '#platform/database';
import { ADDED_COLUMNS, type MessageAdditions } from './message-additions.js';
import type { TopicLink } from '../composing/topic-links.rules.js';

/** The sender of a message, or a member of its conversation. */
export interface MessagePerson {
  readonly id: number;
  readonly email: string;
  readonly fullName: string;
  readonly isSystemBot: boolean;
}

/** A message with its place. */
export interface StoredMessage extends MessageAdditions {
  readonly id: number;
  readonly realmId: number;
  readonly senderId: number;
  readonly sender: MessagePerson & { readonly realm: { readonly subdomain: string } };
  readonly channelId: number | null;
  readonly channel: {
    readonly id: number;
    readonly name: string;
    readonly isPrivate: boolean;
    readonly isHistoryPublic: boolean | null;
  } | null;
  readonly conversationId: number | null;
  /** The members of the direct conversation by id; null for a message of a channel. */
  readonly people: readonly MessagePerson[] | null;
  readonly topic: string;
  readonly content: string;
  readonly rendered: string | null;
  readonly client: string;
  readonly sentAt: Date;
}

/** The flags of a message for an account that received it or has set a flag. */
export interface ReceivedFlags {
  readonly isRead: boolean;
  readonly isStarred: boolean;
  readonly isCollapsed: boolean;
  readonly hidesLinkPreviews: boolean;
  readonly isMentioned: boolean;
  /** As a subscriber of the channel or as a participant of the topic. */
  readonly isWildcardMentioned: boolean;
  readonly isTopicMentioned: boolean;
  readonly hasAlertWord: boolean;
  /** The message was not sent to the account, which has only set flags. */
  readonly isHistorical: boolean;
}

/** A stored message with the flags of one account. */
export interface MessageOfReader extends StoredMessage {
  /** Null if the account neither received the message nor set a flag. */
  readonly received:
    | (ReceivedFlags & {
        /** A move to a channel that hides its history gave the message to the account. */
        readonly isMovedIn: boolean;
      })
    | null;
}

/** A message with its HTML and the links in its topic. */
export interface MessageView extends MessageOfReader {
  readonly rendered: string;
  readonly topicLinks: readonly TopicLink[];
}

const personFrom = (name: string, more = ''): string => `
  jsonb_build_object(
    'id', ${name}.id, 'email', ${name}.email, 'fullName', ${name}.full_name,
    'isSystemBot', ${name}.is_system_bot${more}
  )`;

/** SQL: the members of StoredMessage of a message `m` with `MESSAGE_JOINS`. */
export const MESSAGE_COLUMNS = `
  m.id::bigint, m.realm_id AS "realmId", m.sender_id AS "senderId",
  ${personFrom('sender', `, 'realm', jsonb_build_object('subdomain', home.subdomain)`)} AS sender,
  m.channel_id AS "channelId", CASE WHEN c.id IS NOT NULL THEN jsonb_build_object(
    'id', c.id, 'name', c.name, 'isPrivate', c.is_private, 'isHistoryPublic', c.is_history_public
  ) END AS channel,
  m.conversation_id AS "conversationId", CASE WHEN m.conversation_id IS NOT NULL THEN coalesce((
    SELECT jsonb_agg(${personFrom('person')} ORDER BY person.id)
    FROM direct_conversation_members member JOIN users person ON person.id = member.user_id
    WHERE member.conversation_id = m.conversation_id
  ), '[]') END AS people,
  m.topic, m.content, m.rendered, m.client, m.sent_at AS "sentAt", ${ADDED_COLUMNS}`;

export const MESSAGE_JOINS = `
  JOIN users sender ON sender.id = m.sender_id
  JOIN realms home ON home.id = sender.realm_id
  LEFT JOIN channels c ON c.id = m.channel_id`;

/** SQL: the member `received` of MessageOfReader, from the row `um` of an account for a message `m`. */
export const RECEIVED_COLUMN = `
  CASE WHEN um.user_id IS NOT NULL THEN jsonb_build_object(
    'isRead', um.is_read, 'isStarred', um.is_starred, 'isCollapsed', um.is_collapsed,
    'hidesLinkPreviews', um.hides_link_previews,
    'isMentioned', um.is_mentioned, 'isWildcardMentioned', um.is_wildcard_mentioned,
    'isTopicMentioned', um.is_wildcard_mentioned AND m.mentions_topic,
    'hasAlertWord', um.has_alert_word, 'isHistorical', um.is_historical,
    'isMovedIn', um.is_moved_in
  ) END AS received`;

const SELECT = `
  SELECT ${MESSAGE_COLUMNS}, ${RECEIVED_COLUMN}
  FROM messages m ${MESSAGE_JOINS}
  LEFT JOIN user_messages um ON um.message_id = m.id AND um.user_id = $3
  WHERE m.id = $2::bigint AND m.realm_id = $1`;

/** Reads single messages. */
@Injectable()
export class MessageRepository {
  constructor(private readonly database: Database) {}

  /** A message of the organisation with the flags of the account; null when it does not exist. */
  async find(realmId: number, messageId: number, userId: number): Promise<MessageOfReader | null> {
    const values = [realmId, messageId, userId];
    const [message] = await this.database.query<MessageOfReader>(
      'message_for_user',
      SELECT,
      values,
    );
    return message ?? null;
  }
}
