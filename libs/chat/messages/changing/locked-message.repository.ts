import { Injectable } from '@nestjs/common';
import { roles } from '#directory/roles';
import { Database, type Transaction } from '#platform/database';
import { IS_READABLE, JOINED_CHANNEL } from '../reading/readable-messages.js';

/** The channel or the conversation of a message. */
export interface PlaceOfMessage {
  readonly channelId: number | null;
  readonly conversationId: number | null;
}

/** The place and the topic of a message. The topic of a direct message is empty. */
export interface TopicOfMessage extends PlaceOfMessage {
  readonly topic: string;
}

/** A message that stays unchanged by others until the end of the transaction. */
export interface LockedMessage extends TopicOfMessage {
  readonly id: number;
  readonly senderId: number;
  /** The owner of the bot that sent the message, if any. */
  readonly senderOwnerId: number | null;
  /** Markdown. */
  readonly content: string;
  /** HTML; null when it is not stored. */
  readonly rendered: string | null;
  readonly sentAt: Date;
  /** Null for a direct message. */
  readonly channelName: string | null;
  readonly isArchived: boolean;
  /** Whether the reader may delete any message of the organisation or of the channel. */
  readonly mayDeleteAny: boolean;
  /** Whether the reader may read the message, and was not deactivated meanwhile. */
  readonly isReadable: boolean;
  /** Whether the reader has a row of the message. */
  readonly hasRow: boolean;
  /** Whether the message makes a widget: a poll or a to-do list. */
  readonly hasWidget: boolean;
}

/** The account that changes a message. */
export interface MessageReader {
  readonly userId: number;
  readonly realmId: number;
  readonly groups: ReadonlySet<number>;
}

const PLACE = `
  SELECT channel_id AS "channelId", conversation_id AS "conversationId", topic
  FROM messages WHERE id = $1::bigint AND realm_id = $2`;

const LOCK_CHANNELS = `
  SELECT id FROM channels WHERE id = ANY($1::int[]) AND realm_id = $2 ORDER BY id FOR NO KEY UPDATE`;

const LOCK_CONVERSATION = `SELECT id FROM direct_conversations WHERE id = $1 FOR NO KEY UPDATE`;

/**
 * SQL: whether the account `reader`, in the groups $2, may delete any message of a channel `c` of an organisation `realm`.
 * Without a stored group, administrators may delete any message of the organisation, and no account those of the channel.
 * Guests may not, also as members of such a group.
 */
export const MAY_DELETE_ANY = `
  (reader.role < ${roles.guest} AND (
    CASE WHEN realm.can_delete_any_message_id IS NULL THEN reader.role <= ${roles.administrator}
      ELSE realm.can_delete_any_message_id = ANY($2::int[])
    END OR coalesce(c.can_delete_any_message_id = ANY($2::int[]), false)))`;

const SELECT_MESSAGE = `
  SELECT m.id::bigint, m.sender_id AS "senderId", sender.bot_owner_id AS "senderOwnerId",
    m.channel_id AS "channelId", m.conversation_id AS "conversationId", m.topic, m.content, m.rendered,
    m.sent_at AS "sentAt", c.name AS "channelName", c.archived_at IS NOT NULL AS "isArchived",
    ${MAY_DELETE_ANY} AS "mayDeleteAny",
    reader.is_active AND ${IS_READABLE} AS "isReadable",
    EXISTS (
      SELECT 1 FROM user_messages own WHERE own.user_id = reader.id AND own.message_id = m.id
    ) AS "hasRow",
    EXISTS (SELECT 1 FROM submessages WHERE message_id = m.id) AS "hasWidget"
  FROM messages m
  JOIN users sender ON sender.id = m.sender_id
  JOIN realms realm ON realm.id = m.realm_id
  JOIN users reader ON reader.id = $1
  ${JOINED_CHANNEL}
  WHERE m.id = $4::bigint AND m.realm_id = $3`;

const LOCK_MESSAGE = `${SELECT_MESSAGE} FOR NO KEY UPDATE OF m`;

/** The messages of a topic that one request moves: one statement changes them all. */
export const MAX_MOVED = 10_000;

// Only the index of topics has this order: of a topic with more messages, the others are not read.
const LOCK_TOPIC = `
  SELECT FROM messages
  WHERE (channel_id, lower(topic), id) >= ($1::int, lower($2::text), $3::bigint)
    AND (channel_id, lower(topic), id) <= ($1::int, lower($2::text), ${Number.MAX_SAFE_INTEGER}::bigint)
  ORDER BY channel_id, lower(topic), id LIMIT ${MAX_MOVED + 1} FOR NO KEY UPDATE`;

/**
 * Locks messages that are to be changed. Locks are taken in this order: the place, which new messages lock as well, then
 * its messages by id.
 */
@Injectable()
export class LockedMessageRepository {
  constructor(private readonly database: Database) {}

  /** The place of a message of the organisation, without a lock; null for an unknown message. */
  async placeOf(realmId: number, messageId: number): Promise<TopicOfMessage | null> {
    const values = [messageId, realmId];
    const [place] = await this.database.query<TopicOfMessage>('place_of_message', PLACE, values);
    return place ?? null;
  }

  /** Blocks new messages of a place, and of a further channel of the organisation, until the end of the transaction. */
  async lockPlace(
    transaction: Transaction,
    realmId: number,
    { channelId, conversationId }: PlaceOfMessage,
    furtherChannelId: number | null = null,
  ): Promise<void> {
    if (channelId === null) {
      await transaction.query('lock_conversation', LOCK_CONVERSATION, [conversationId]);
      return;
    }
    const ids = [channelId, ...(furtherChannelId === null ? [] : [furtherChannelId])];
    await transaction.query('lock_channels', LOCK_CHANNELS, [ids, realmId]);
  }

  /**
   * Locks the messages of a topic from one on, and one more than a request may move. The place must be locked. Without it, a
   * change of a message and of earlier ones would lock them in another order than requests that lock several messages alone.
   */
  async lockTopic(
    transaction: Transaction,
    { channelId, topic }: TopicOfMessage,
    firstId: number,
  ): Promise<void> {
    await transaction.query('lock_topic', LOCK_TOPIC, [channelId, topic, firstId]);
  }

  /** A message of the organisation, without a lock; null for an unknown one. */
  async find(
    transaction: Transaction,
    reader: MessageReader,
    messageId: number,
  ): Promise<LockedMessage | null> {
    const values = valuesOf(reader, messageId);
    const [found] = await transaction.query<LockedMessage>('find_message', SELECT_MESSAGE, values);
    return found ?? null;
  }

  /** Locks a message of the organisation; null for an unknown one. */
  async lock(
    transaction: Transaction,
    reader: MessageReader,
    messageId: number,
  ): Promise<LockedMessage | null> {
    const values = valuesOf(reader, messageId);
    const [locked] = await transaction.query<LockedMessage>('lock_message', LOCK_MESSAGE, values);
    return locked ?? null;
  }
}

const valuesOf = ({ userId, realmId, groups }: MessageReader, messageId: number) => [
  userId,
  [...groups],
  realmId,
  messageId,
];
