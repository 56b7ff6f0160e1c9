import { Injectable } from '@nestjs/common';
import type { TopicPlace } from '#chat/user-topics';
import { Database } from '#platform/database';
import { IS_HISTORY_SHARED } from '../reading/readable-messages.js';

/** A message of each topic: the newest one. Only the index of topics has this order, as in a mention of a topic. */
const SELECT_NEWEST = `
  SELECT (given.number - 1)::int AS index, newest.id::bigint
  FROM unnest($1::int[], $2::text[]) WITH ORDINALITY AS given (channel_id, topic, number)
  JOIN channels c ON c.id = given.channel_id
  CROSS JOIN LATERAL (
    SELECT id FROM messages
    WHERE (channel_id, lower(topic), id) >= (given.channel_id, lower(given.topic), 0::bigint)
      AND (channel_id, lower(topic), id) <=
        (given.channel_id, lower(given.topic), ${Number.MAX_SAFE_INTEGER}::bigint)
    ORDER BY channel_id DESC, lower(topic) DESC, id DESC LIMIT 1
  ) AS newest
  WHERE ${IS_HISTORY_SHARED} OR EXISTS (
    SELECT 1 FROM user_messages um
    WHERE um.user_id = $3 AND um.message_id = newest.id AND NOT um.is_historical
  )`;

/** Finds a message of topics to which messages link. */
@Injectable()
export class LinkedTopicRepository {
  constructor(private readonly database: Database) {}

  /**
   * The newest message of each topic, in the order of the topics; undefined if there is none, or if the account has not
   * received it in a channel that hides its history. The account must be able to read the channels.
   */
  async newestOf(userId: number, topics: readonly TopicPlace[]): Promise<(number | undefined)[]> {
    const rows = await this.database.query<{ index: number; id: number }>(
      'newest_of_topics',
      SELECT_NEWEST,
      [topics.map(({ channelId }) => channelId), topics.map(({ topic }) => topic), userId],
    );
    const ids = new Map(rows.map(({ index, id }) => [index, id]));
    return topics.map((_, index) => ids.get(index));
  }
}
