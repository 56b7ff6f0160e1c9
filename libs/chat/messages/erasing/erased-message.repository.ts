import { Injectable } from '@nestjs/common';
import type { MessageErasure } from '#directory/users';
import type { Transaction } from '#platform/database';
import type { PlaceOfMessage } from '../changing/locked-message.repository.js';

/** The first message to delete: its place, and the time up to which messages of this place are to be deleted. */
export interface FirstErased extends PlaceOfMessage {
  readonly id: number;
  readonly until: Date;
}

/** The messages of an account that one statement reads, however many of them stay. */
const MAX_READ = 1000;

// An index has the messages of an account in their order.
const NEXT = `
  SELECT id, channel_id, conversation_id, sent_at FROM messages
  WHERE sender_id = $1 AND id > $2::bigint ORDER BY id LIMIT ${MAX_READ}`;

const FIRST = `
  SELECT m.id::bigint, m.channel_id AS "channelId", m.conversation_id AS "conversationId", kind.until
  FROM (${NEXT}) m CROSS JOIN LATERAL (
    SELECT CASE
      WHEN m.channel_id IS NULL THEN $3::timestamptz
      WHEN (SELECT is_private FROM channels WHERE id = m.channel_id) THEN $4::timestamptz
      ELSE $5::timestamptz
    END AS until
  ) kind
  WHERE m.sent_at <= kind.until
  ORDER BY m.id LIMIT 1`;

const LAST = `SELECT max(id)::bigint AS id FROM (${NEXT}) m`;

const LOCK = `
  SELECT id::bigint, topic FROM messages
  WHERE id = ANY(ARRAY(
    SELECT m.id FROM (${NEXT}) m
    WHERE m.channel_id IS NOT DISTINCT FROM $3 AND m.conversation_id IS NOT DISTINCT FROM $4
      AND m.sent_at <= $5
    ORDER BY m.id LIMIT $6
  ))
  ORDER BY id FOR UPDATE`;

/** Finds the messages of an account that are to be deleted, among the first that are left of its messages. */
@Injectable()
export class ErasedMessageRepository {
  /** The first one to delete; null if none of them is. */
  async first(transaction: Transaction, erasure: MessageErasure): Promise<FirstErased | null> {
    const [first] = await transaction.query<FirstErased>('first_erased', FIRST, [
      erasure.userId,
      erasure.afterId,
      erasure.conversationsUntil,
      erasure.privateChannelsUntil,
      erasure.publicChannelsUntil,
    ]);
    return first ?? null;
  }

  /** The last of them; null if the account has no more messages. */
  async last(
    transaction: Transaction,
    { userId, afterId }: MessageErasure,
  ): Promise<number | null> {
    const values = [userId, afterId];
    const [row] = await transaction.query<{ id: number | null }>('last_erased', LAST, values);
    return row?.id ?? null;
  }

  /** Locks those to delete that are in the locked place of the first one. */
  async lock(
    transaction: Transaction,
    { userId, afterId }: MessageErasure,
    { channelId, conversationId, until }: FirstErased,
    most: number,
  ): Promise<{ readonly id: number; readonly topic: string }[]> {
    const values = [userId, afterId, channelId, conversationId, until, most];
    return transaction.query('lock_erased', LOCK, values);
  }
}
