import { Injectable } from '@nestjs/common';
import type { ChannelWithFirstMessage } from '#chat/channels';
import type { Transaction } from '#platform/database';

const REFRESH = `
  WITH actual AS MATERIALIZED (
    SELECT c.id, (SELECT min(m.id) FROM messages m WHERE m.channel_id = c.id) AS first_message_id
    FROM channels c WHERE c.id = ANY($1::int[])
  )
  UPDATE channels c SET first_message_id = actual.first_message_id
  FROM actual WHERE c.id = actual.id AND c.first_message_id IS DISTINCT FROM actual.first_message_id
  RETURNING c.id, c.name, c.first_message_id::bigint AS "firstMessageId"`;

/** Keeps the first messages of channels. */
@Injectable()
export class FirstMessageRepository {
  /**
   * Stores the first messages of channels after messages were deleted or moved; resolves with the channels whose first
   * message has changed. The channels must be locked.
   */
  async refresh(
    transaction: Transaction,
    channelIds: readonly number[],
  ): Promise<ChannelWithFirstMessage[]> {
    return transaction.query<ChannelWithFirstMessage>('first_messages', REFRESH, [channelIds]);
  }
}
