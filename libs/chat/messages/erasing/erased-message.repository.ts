import { Injectable } from '@nestjs/common';
import type { MessageErasure } from '#directory/users';
import type { Transaction } from '#platform/database';
import type { PlaceOfMessage } from '../changing/locked-message.repository.js';

/** A message to delete, and its place. */
export interface ErasedMessage extends PlaceOfMessage {
  readonly id: number;
}

// An index has the messages of an account.
const NEXT = `
  SELECT m.id::bigint, m.channel_id AS "channelId", m.conversation_id AS "conversationId"
  FROM messages m LEFT JOIN channels c ON c.id = m.channel_id
  WHERE m.sender_id = $1 AND m.id > $2::bigint AND m.sent_at <= $3
    AND CASE
      WHEN m.channel_id IS NULL THEN $4::boolean
      WHEN c.is_private THEN $5::boolean
      ELSE $6::boolean
    END
  ORDER BY m.id LIMIT $7`;

// One may have moved before its place was locked.
const LOCK = `
  SELECT id::bigint, topic FROM messages
  WHERE id = ANY($1::bigint[]) AND channel_id IS NOT DISTINCT FROM $2
    AND conversation_id IS NOT DISTINCT FROM $3
  ORDER BY id FOR UPDATE`;

/** Finds the messages of an account that are to be deleted. */
@Injectable()
export class ErasedMessageRepository {
  /** The oldest ones. */
  async next(
    transaction: Transaction,
    erasure: MessageErasure,
    most: number,
  ): Promise<ErasedMessage[]> {
    return transaction.query<ErasedMessage>('next_erased', NEXT, [
      erasure.userId,
      erasure.afterId,
      erasure.requestedAt,
      erasure.ofConversations,
      erasure.ofPrivateChannels,
      erasure.ofPublicChannels,
      most,
    ]);
  }

  /** Locks those messages that are in a locked place. */
  async lock(
    transaction: Transaction,
    messageIds: readonly number[],
    { channelId, conversationId }: PlaceOfMessage,
  ): Promise<{ readonly id: number; readonly topic: string }[]> {
    return transaction.query('lock_erased', LOCK, [messageIds, channelId, conversationId]);
  }
}
