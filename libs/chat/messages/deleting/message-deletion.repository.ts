import { Injectable } from '@nestjs/common';
import { queryRow, type Transaction } from '#platform/database';
import type { ScreenRead } from '../message-notifier.js';

/** What went with deleted messages. */
interface Deleted {
  /** The files that they linked. */
  readonly fileIds: readonly number[];
  /** The notifications that phones show. */
  readonly onScreen: readonly ScreenRead[];
}

// In the order of all statements that lock rows of several messages: different orders could deadlock.
const heldRows = (condition: string): string => `
  held AS MATERIALIZED (
    SELECT message_id FROM user_messages WHERE ${condition} ORDER BY user_id, message_id FOR UPDATE
  )`;

const HELD_IDS = 'ARRAY(SELECT DISTINCT message_id FROM held)';
const OF_MESSAGES = 'message_id = ANY($1::bigint[])';
const OF_READERS = `${OF_MESSAGES} AND user_id = ANY($2::int[])`;

// Links, reactions, changes and submessages go with the message. A worker that notifies a reader at this moment holds the row: its
// deletion waits for that, and knows then that phones show the message.
const DELETE = `
  WITH linked AS MATERIALIZED (
    SELECT DISTINCT attachment_id FROM attachment_messages WHERE message_id = ANY($1::bigint[])
  ),
  deleted AS (DELETE FROM messages WHERE id = ANY($1::bigint[])),
  ${heldRows(OF_MESSAGES)},
  received AS (
    DELETE FROM user_messages WHERE message_id = ANY(${HELD_IDS})
    RETURNING user_id, message_id, is_pushed
  )
  SELECT
    coalesce((SELECT jsonb_agg(attachment_id ORDER BY attachment_id) FROM linked), '[]') AS "fileIds",
    coalesce((
      SELECT jsonb_agg(jsonb_build_object('userId', user_id, 'messageId', message_id)) FROM received
      WHERE is_pushed
    ), '[]') AS "onScreen"`;

// Former readers have rows too.
const HAS_MORE_ROWS = `
  SELECT FROM user_messages WHERE message_id = ANY($1::bigint[]) OFFSET $2 LIMIT 1`;

const DELETE_ROWS = `
  WITH ${heldRows(OF_READERS)},
  deleted AS (
    DELETE FROM user_messages WHERE message_id = ANY(${HELD_IDS}) AND user_id = ANY($2::int[])
    RETURNING user_id, message_id, is_pushed
  )
  SELECT user_id AS "userId", message_id::bigint AS "messageId" FROM deleted WHERE is_pushed`;

/** Deletes messages, or the rows of some of their readers. */
@Injectable()
export class MessageDeletionRepository {
  /** Whether messages have more than `most` rows of readers. */
  async hasMoreRows(
    transaction: Transaction,
    messageIds: readonly number[],
    most: number,
  ): Promise<boolean> {
    const values = [messageIds, most];
    return (await transaction.query('has_more_rows', HAS_MORE_ROWS, values)).length > 0;
  }

  /** Deletes messages with the rows of their readers. */
  async delete(transaction: Transaction, messageIds: readonly number[]): Promise<Deleted> {
    return queryRow<Deleted>(transaction, 'delete_messages', DELETE, [messageIds]);
  }

  /**
   * Deletes the rows of messages of accounts that may read them no more; resolves with the notifications that their phones show.
   */
  async deleteRows(
    transaction: Transaction,
    messageIds: readonly number[],
    userIds: readonly number[],
  ): Promise<ScreenRead[]> {
    const values = [messageIds, userIds];
    return transaction.query<ScreenRead>('delete_message_rows', DELETE_ROWS, values);
  }
}
