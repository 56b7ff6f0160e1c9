import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '#platform/database';
import type { PlaceOfMessage } from '../changing/locked-message.repository.js';

/** A channel or a direct conversation with messages whose retention is over. */
export interface RetentionPlace extends PlaceOfMessage {
  readonly realmId: number;
  /** Messages that were sent before are to be deleted. */
  readonly before: Date;
}

// By the clock of PostgreSQL: one gateway with a wrong clock would delete messages too early. -1 stands for unlimited.
const CHANNEL = `
  SELECT c.id AS "channelId", NULL::int AS "conversationId", c.realm_id AS "realmId",
    now() - policy.days * interval '24 hours' AS before
  FROM channels c
  JOIN realms r ON r.id = c.realm_id
  CROSS JOIN LATERAL (SELECT coalesce(c.message_retention_days, r.message_retention_days) AS days) policy
  JOIN messages first ON first.id = c.first_message_id
  WHERE c.id > $1 AND policy.days > 0
    AND first.sent_at < now() - policy.days * interval '24 hours'
  ORDER BY c.id LIMIT 1
  FOR NO KEY UPDATE OF c SKIP LOCKED`;

const CONVERSATION = `
  SELECT NULL::int AS "channelId", d.id AS "conversationId", d.realm_id AS "realmId",
    now() - r.message_retention_days * interval '24 hours' AS before
  FROM direct_conversations d
  JOIN realms r ON r.id = d.realm_id
  CROSS JOIN LATERAL (
    SELECT sent_at FROM messages m WHERE m.conversation_id = d.id ORDER BY m.id LIMIT 1
  ) first
  WHERE d.id > $1 AND d.id <= $2 AND r.message_retention_days > 0
    AND first.sent_at < now() - r.message_retention_days * interval '24 hours'
  ORDER BY d.id LIMIT 1
  FOR NO KEY UPDATE OF d SKIP LOCKED`;

const NEWEST_CONVERSATION = 'SELECT coalesce(max(id), 0) AS id FROM direct_conversations';

// Only the first messages are read, however many newer ones follow.
const oldestOf = (column: string) => `
  SELECT id::bigint, topic FROM messages
  WHERE ${column} = $1 AND sent_at < $2 AND id <= (
    SELECT max(id) FROM (SELECT id FROM messages WHERE ${column} = $1 ORDER BY id LIMIT $3) first
  )
  ORDER BY id FOR UPDATE`;

const OLDEST_OF_CHANNEL = oldestOf('channel_id');
const OLDEST_OF_CONVERSATION = oldestOf('conversation_id');

/**
 * Finds messages whose retention is over. The place of the messages is locked first, as for all changes of messages. A
 * place that another transaction has locked is skipped.
 */
@Injectable()
export class ExpiredMessagesRepository {
  constructor(private readonly database: Database) {}

  /** Locks the next channel after an id whose first message is too old; null if there is no other. */
  async nextChannel(transaction: Transaction, after: number): Promise<RetentionPlace | null> {
    const rows = transaction.query<RetentionPlace>('next_expiring_channel', CHANNEL, [after]);
    return (await rows)[0] ?? null;
  }

  /** Locks the next conversation of a range whose first message is too old; null if there is no other. */
  async nextConversation(
    transaction: Transaction,
    { after, upTo }: { readonly after: number; readonly upTo: number },
  ): Promise<RetentionPlace | null> {
    const values = [after, upTo];
    const name = 'next_expiring_conversation';
    return (await transaction.query<RetentionPlace>(name, CONVERSATION, values))[0] ?? null;
  }

  /** The id of the newest conversation; 0 without one. */
  async newestConversation(): Promise<number> {
    const name = 'newest_conversation';
    const [row] = await this.database.query<{ id: number }>(name, NEWEST_CONVERSATION, []);
    return row?.id ?? 0;
  }

  /** The expired ones of the first `most` messages of a locked place, locked. */
  async oldest(
    transaction: Transaction,
    { channelId, conversationId, before }: RetentionPlace,
    most: number,
  ): Promise<{ readonly id: number; readonly topic: string }[]> {
    return channelId === null
      ? transaction.query('oldest_of_conversation', OLDEST_OF_CONVERSATION, [
          conversationId,
          before,
          most,
        ])
      : transaction.query('oldest_of_channel', OLDEST_OF_CHANNEL, [channelId, before, most]);
  }
}
