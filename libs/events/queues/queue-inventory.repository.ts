import { Injectable } from '@nestjs/common';
import { Database } from '#platform/database';

/** A queue, as operators see it. */
export interface QueueOverview {
  readonly id: string;
  readonly createdAt: Date;
  /** At the latest: Redis may have an earlier time. */
  readonly expiresAt: Date;
  readonly idleSeconds: number;
  /** The types of its events; null for all. */
  readonly eventTypes: readonly string[] | null;
  /** The events of the organisation since its registration, whether they concern the queue or not. */
  readonly eventsSince: number;
}

/** The cap of queues of an account may have been higher. */
const MAX_LISTED = 1000;

const LIST = `
  SELECT q.id, q.created_at AS "createdAt", q.expires_at AS "expiresAt",
    q.idle_seconds AS "idleSeconds", q.options->'eventTypes' AS "eventTypes",
    coalesce(h.position, 0) - q.start_position AS "eventsSince"
  FROM event_queues q LEFT JOIN event_heads h ON h.realm_id = q.realm_id
  WHERE q.user_id = $1 AND q.expires_at > now()
  ORDER BY q.expires_at DESC, q.id LIMIT $2`;

/** Enough to see that there are many. */
const MAX_COUNTED = 100_000;

const COUNT = `
  SELECT count(*)::int AS count FROM (
    SELECT FROM event_queues WHERE expires_at > now() LIMIT ${MAX_COUNTED}
  ) AS counted`;

/** Reads queues for operators. */
@Injectable()
export class QueueInventoryRepository {
  constructor(private readonly database: Database) {}

  /** The queues of an account, the one with the latest expiry first; at most 1,000. */
  async list(userId: number): Promise<QueueOverview[]> {
    return this.database.query<QueueOverview>('list_event_queues', LIST, [userId, MAX_LISTED]);
  }

  /** The number of all queues, counted up to `most`. */
  async count(): Promise<{ readonly count: number; readonly most: number }> {
    const [row] = await this.database.query<{ count: number }>('count_event_queues', COUNT);
    return { count: row?.count ?? 0, most: MAX_COUNTED };
  }
}
