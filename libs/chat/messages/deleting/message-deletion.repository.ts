import { Injectable } from '@nestjs/common';
import type { Transaction } from '#platform/database';
import type { ScreenRead } from '../message-notifier.js';

const ON_SCREEN = `
  SELECT user_id AS "userId", message_id::bigint AS "messageId" FROM user_messages
  WHERE message_id = ANY($1::bigint[]) AND is_pushed AND ($2::int[] IS NULL OR user_id = ANY($2::int[]))`;

// The rows of recipients, links, reactions, changes and submessages go with the message.
const DELETE = `
  WITH linked AS MATERIALIZED (
    SELECT DISTINCT attachment_id FROM attachment_messages WHERE message_id = ANY($1::bigint[])
  ),
  deleted AS (DELETE FROM messages WHERE id = ANY($1::bigint[]))
  SELECT attachment_id AS id FROM linked ORDER BY attachment_id`;

// Former readers have rows too.
const HAS_MORE_ROWS = `
  SELECT FROM user_messages WHERE message_id = ANY($1::bigint[]) OFFSET $2 LIMIT 1`;

const DELETE_ROWS = `
  DELETE FROM user_messages WHERE message_id = ANY($1::bigint[]) AND user_id = ANY($2::int[])`;

/** Deletes messages, or the rows of some of their readers. */
@Injectable()
export class MessageDeletionRepository {
  /** The messages whose notifications phones show: of all readers, or of some. */
  async onScreen(
    transaction: Transaction,
    messageIds: readonly number[],
    userIds: readonly number[] | null = null,
  ): Promise<ScreenRead[]> {
    const values = [messageIds, userIds];
    return transaction.query<ScreenRead>('messages_on_screen', ON_SCREEN, values);
  }

  /** Whether messages have more than `most` rows of readers. */
  async hasMoreRows(
    transaction: Transaction,
    messageIds: readonly number[],
    most: number,
  ): Promise<boolean> {
    const values = [messageIds, most];
    return (await transaction.query('has_more_rows', HAS_MORE_ROWS, values)).length > 0;
  }

  /** Deletes messages; resolves with the files that they linked. */
  async delete(transaction: Transaction, messageIds: readonly number[]): Promise<number[]> {
    const rows = await transaction.query<{ id: number }>('delete_messages', DELETE, [messageIds]);
    return rows.map(({ id }) => id);
  }

  /** Deletes the rows of messages of accounts that may read them no more. */
  async deleteRows(
    transaction: Transaction,
    messageIds: readonly number[],
    userIds: readonly number[],
  ): Promise<void> {
    await transaction.query('delete_message_rows', DELETE_ROWS, [messageIds, userIds]);
  }
}
