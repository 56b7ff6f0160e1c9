import { Injectable } from '@nestjs/common';
import type { Transaction } from '#platform/database';
import { MAY_DELETE_ANY, type MessageReader } from '../changing/locked-message.repository.js';
import { IS_READABLE, JOINED_CHANNEL } from '../reading/readable-messages.js';

/** The facts that decide on the deletion of a topic. */
interface ChannelOfTopic {
  readonly mayDeleteAny: boolean;
  readonly isArchived: boolean;
}

const CHANNEL = `
  SELECT ${MAY_DELETE_ANY} AS "mayDeleteAny",
    c.archived_at IS NOT NULL AS "isArchived"
  FROM channels c JOIN realms realm ON realm.id = c.realm_id JOIN users reader ON reader.id = $1
  WHERE c.id = $3`;

// The topic without regard to case. The place is locked: no message leaves it. Requests that mark messages as unread
// or set other flags hold them in the order of their ids too.
const NEWEST = `
  WITH held AS (
    SELECT id, topic FROM messages WHERE id = ANY(ARRAY(
      SELECT m.id FROM messages m JOIN users reader ON reader.id = $1 ${JOINED_CHANNEL}
      WHERE m.channel_id = $3 AND lower(m.topic) = lower($4) AND ${IS_READABLE}
      ORDER BY m.id DESC LIMIT $5
    ))
    ORDER BY id FOR UPDATE
  )
  SELECT id::bigint, topic FROM held ORDER BY id DESC`;

/** Finds the messages of a topic that is deleted. */
@Injectable()
export class TopicDeletionRepository {
  /** Null for an unknown channel. */
  async channel(
    transaction: Transaction,
    { userId, groups }: MessageReader,
    channelId: number,
  ): Promise<ChannelOfTopic | null> {
    const values = [userId, [...groups], channelId];
    const [row] = await transaction.query<ChannelOfTopic>('channel_of_topic', CHANNEL, values);
    return row ?? null;
  }

  /** The newest messages of a topic that the reader may read, locked, with their topics as they are stored. */
  async newest(
    transaction: Transaction,
    { userId, groups }: MessageReader,
    { channelId, topic }: { readonly channelId: number; readonly topic: string },
    most: number,
  ): Promise<{ readonly id: number; readonly topic: string }[]> {
    const values = [userId, [...groups], channelId, topic, most];
    return transaction.query('newest_of_topic', NEWEST, values);
  }
}
