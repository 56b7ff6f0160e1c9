import { Injectable } from '@nestjs/common';
import type { Transaction } from '#platform/database';

/** A change of messages that their history records. */
export interface MessageRevision {
  readonly messageIds: readonly [number, ...number[]];
  readonly userId: number;
  readonly at: Date;
  /** The message whose content changes. */
  readonly contentOf: number | null;
  /** Null for unchanged parts. */
  readonly topic: string | null;
  readonly channelId: number | null;
}

/** Older changes of a message are deleted: each may have a long text. */
export const MAX_RECORDED = 50;

const RECORD = `
  INSERT INTO message_edits
    (message_id, user_id, edited_at, prev_content, prev_rendered, prev_topic, topic, prev_channel_id, channel_id)
  SELECT m.id, $2, $3,
    CASE WHEN m.id = $4::bigint THEN m.content END, CASE WHEN m.id = $4::bigint THEN m.rendered END,
    CASE WHEN $5::text IS NOT NULL THEN m.topic END, $5::text,
    CASE WHEN $6::int IS NOT NULL THEN m.channel_id END, $6::int
  FROM messages m WHERE m.id = ANY($1::bigint[]) ORDER BY m.id`;

const DELETE_OLDEST = `
  DELETE FROM message_edits old USING unnest($1::bigint[]) AS changed (id)
  WHERE old.message_id = changed.id AND old.id <= (
    SELECT own.id FROM message_edits own WHERE own.message_id = changed.id
    ORDER BY own.id DESC OFFSET ${MAX_RECORDED} LIMIT 1
  )`;

const SET_PLACE = `
  UPDATE messages SET topic = coalesce($2, topic), channel_id = coalesce($3, channel_id), last_moved_at = $4
  WHERE id = ANY($1::bigint[])`;

/** Changes messages, and records how they were. The messages and their places must be locked. */
@Injectable()
export class MessageEditRepository {
  /** Records messages as they are before a change. */
  async recordRevision(transaction: Transaction, revision: MessageRevision): Promise<void> {
    const { messageIds, userId, at, contentOf, topic, channelId } = revision;
    const values = [messageIds, userId, at, contentOf, topic, channelId];
    await transaction.query('record_revision', RECORD, values);
    await transaction.query('delete_oldest_revisions', DELETE_OLDEST, [messageIds]);
  }

  /** Moves messages. */
  async setPlace(
    transaction: Transaction,
    { messageIds, topic, channelId, at }: MessageRevision,
  ): Promise<void> {
    await transaction.query('set_message_place', SET_PLACE, [messageIds, topic, channelId, at]);
  }
}
