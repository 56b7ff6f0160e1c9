import { Injectable } from '@nestjs/common';
import { Database } from '#platform/database';

/** A topic with messages. Topics that differ only in case are one. */
export interface TopicEntry {
  /** As the newest message spells it. */
  readonly name: string;
  readonly newestId: number;
}

/** Far above the number of topics that clients can show. */
export const MAX_TOPICS = 20_000;

// Jumps from topic to topic in the index of the channel and the lower-case topic: the work depends on the number of
// topics, not of messages.
const topicsOf = (condition: string): string => `
  WITH RECURSIVE step (key) AS (
    (SELECT lower(topic) FROM messages WHERE channel_id = $1 ORDER BY lower(topic) LIMIT 1)
    UNION ALL
    SELECT (
      SELECT lower(m.topic) FROM messages m
      WHERE m.channel_id = $1 AND lower(m.topic) > step.key ORDER BY lower(m.topic) LIMIT 1
    )
    FROM step WHERE step.key IS NOT NULL
  )
  SELECT newest.topic AS name, newest.id::bigint AS "newestId"
  FROM step CROSS JOIN LATERAL (
    SELECT m.topic, m.id FROM messages m
    WHERE m.channel_id = $1 AND lower(m.topic) = step.key AND ${condition}
    ORDER BY lower(m.topic) DESC, m.id DESC LIMIT 1
  ) AS newest
  ORDER BY newest.id DESC LIMIT $2`;

const SELECT_ALL = topicsOf('true');

// Looks through the newer messages of a topic that the account has not received, but not before its first message.
const SELECT_RECEIVED = topicsOf(`
  m.id >= (SELECT min(message_id) FROM user_messages WHERE user_id = $3) AND (
    SELECT NOT um.is_historical FROM user_messages um WHERE um.user_id = $3 AND um.message_id = m.id
  )`);

/** Reads the topics of channels. */
@Injectable()
export class TopicRepository {
  constructor(private readonly database: Database) {}

  /** The topics of all messages of a channel, newest first. */
  async all(channelId: number): Promise<TopicEntry[]> {
    const values = [channelId, MAX_TOPICS];
    return this.database.query<TopicEntry>('topics_of_channel', SELECT_ALL, values);
  }

  /** The topics of the messages of a channel that an account has received, newest first. */
  async received(channelId: number, userId: number): Promise<TopicEntry[]> {
    const values = [channelId, MAX_TOPICS, userId];
    return this.database.query<TopicEntry>('received_topics', SELECT_RECEIVED, values);
  }
}
