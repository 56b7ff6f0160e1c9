import { Injectable } from '@nestjs/common';
import { batched } from '#platform/core';
import { Database } from '#platform/database';

/** An icon shows no higher number. */
const MOST_SHOWN = 999;

const COUNT = `
  SELECT asked.place::int, shown.count::int
  FROM unnest($1::int[]) WITH ORDINALITY AS asked (user_id, place)
  CROSS JOIN LATERAL (
    SELECT count(*) FROM (
      SELECT FROM user_messages
      WHERE user_id = asked.user_id AND is_pushed AND NOT is_read LIMIT ${MOST_SHOWN}
    ) AS message
  ) AS shown`;

/** Counts for the icons of apps. */
@Injectable()
export class BadgeRepository {
  /** How many unread messages of an account its phones show, at most 999. Calls of the same moment share a statement. */
  readonly count = batched((userIds: readonly number[]) => this.#count(userIds));

  constructor(private readonly database: Database) {}

  async #count(userIds: readonly number[]): Promise<number[]> {
    const rows = await this.database.query<{ place: number; count: number }>(
      'count_badges',
      COUNT,
      [userIds],
    );
    const byPlace = new Map(rows.map(({ place, count }) => [place, count]));
    return userIds.map((_, index) => byPlace.get(index + 1) ?? 0);
  }
}
