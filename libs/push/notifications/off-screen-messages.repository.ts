import { Injectable } from '@nestjs/common';
import { batched } from '#platform/core';
import { Database } from '#platform/database';
import { distanceTo, mayConcern } from './pages/page.sql.js';

/** Of an account: what one push of a message reads. */
const MAX_NOTIFIED = 50;

/** Behind the id of each message; numbers of this size are exact in the index of pages. */
const LAST_ID = '1e15';

// A browser shows those of a day at most. In the order of an index: few of the notifications of an account are read, and few of
// its pages.
const OFF_SCREEN = `
  SELECT asked.place::int, array_agg(DISTINCT notified.message_id) AS message_ids
  FROM unnest($1::int[]) WITH ORDINALITY AS asked (user_id, place)
  CROSS JOIN LATERAL (
    SELECT message_id FROM (
      (SELECT (content ->> 'messageId')::float8 AS message_id FROM push_notifications
       WHERE (user_id, accepted_at) > (asked.user_id, now() - interval '1 day')
         AND (user_id, accepted_at) < (asked.user_id, 'infinity') AND kind = 'message'
       ORDER BY user_id DESC, accepted_at DESC LIMIT ${MAX_NOTIFIED})
      UNION ALL
      (SELECT (content ->> 'messageId')::float8 FROM (
         SELECT content, user_ids, accepted_at FROM push_pages page
         WHERE ${mayConcern('page', 'asked.user_id', '1', LAST_ID)}
         ORDER BY ${distanceTo('page', 'asked.user_id', LAST_ID)} LIMIT ${MAX_NOTIFIED}
       ) AS page
       WHERE accepted_at > now() - interval '1 day' AND asked.user_id = ANY(user_ids))
    ) AS each ORDER BY message_id DESC LIMIT ${MAX_NOTIFIED}
  ) AS notified
  WHERE NOT coalesce((
    SELECT is_pushed AND NOT is_read FROM user_messages
    WHERE user_id = asked.user_id AND message_id = notified.message_id::bigint LIMIT 1
  ), false)
  GROUP BY asked.place`;

/** Finds messages whose notifications a browser is to close. */
@Injectable()
export class OffScreenMessagesRepository {
  /**
   * Of the newest fifty messages that an account was notified of in a day: those that it has read, that were deleted or taken back.
   * Calls of the same moment share a statement.
   */
  readonly offScreen = batched((userIds: readonly number[]) => this.#offScreen(userIds));

  constructor(private readonly database: Database) {}

  async #offScreen(userIds: readonly number[]): Promise<number[][]> {
    const rows = await this.database.query<{ place: number; message_ids: number[] }>(
      'messages_off_screen',
      OFF_SCREEN,
      [userIds],
    );
    const byPlace = new Map(rows.map((row) => [row.place, row.message_ids]));
    return userIds.map((_, index) => byPlace.get(index + 1) ?? []);
  }
}
