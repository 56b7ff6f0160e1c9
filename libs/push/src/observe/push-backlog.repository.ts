import { Injectable } from '@nestjs/common';
import type { Platform } from '#contracts';
import { Database } from '#database';

/** What the ledger says is still to be sent to one platform. */
export interface PendingDeliveries {
  readonly platform: Platform;
  readonly count: number;
  /** How long ago the oldest of them was accepted. */
  readonly oldestMs: number;
  /** Those of them that did not go through when they were tried last; null when there are none. */
  readonly retried: RetriedDeliveries | null;
}

/** Deliveries that wait to be tried again. */
export interface RetriedDeliveries {
  readonly count: number;
  /** Why, for most of them: in the provider's or the transport's words. */
  readonly reason: string;
  /** How long ago the oldest of them was accepted. */
  readonly oldestMs: number;
}

interface PendingRow {
  platform: Platform;
  count: number;
  oldest_ms: number;
  retried: number;
  reason: string | null;
  retried_oldest_ms: number | null;
}

// The first in order is the oldest, near enough: the order is that of acceptance.
const PENDING = `
  WITH pending AS (
    SELECT platform, count(*)::int AS count, min(sequence) AS first,
      count(reason)::int AS retried, mode() WITHIN GROUP (ORDER BY reason) AS reason,
      min(sequence) FILTER (WHERE reason IS NOT NULL) AS first_retried
    FROM push_deliveries WHERE state = 'pending' GROUP BY platform
  ), aged AS (
    SELECT delivery.sequence,
      (extract(epoch FROM now() - notification.accepted_at) * 1000)::float8 AS age_ms
    FROM push_deliveries delivery
    JOIN push_notifications notification ON notification.id = delivery.notification_id
    WHERE delivery.state = 'pending'
      AND delivery.sequence > 0 AND delivery.sequence IN (SELECT unnest(ARRAY[first, first_retried]) FROM pending)
  )
  SELECT pending.platform, pending.count, oldest.age_ms AS oldest_ms,
    pending.retried, pending.reason, oldest_retried.age_ms AS retried_oldest_ms
  FROM pending
  JOIN aged oldest ON oldest.sequence = pending.first
  LEFT JOIN aged oldest_retried ON oldest_retried.sequence = pending.first_retried`;

/** Rows that wait for somebody: in the outbox for a worker, dead letters for an operator. */
export interface StoredRows {
  readonly outbox: { readonly rows: number; readonly oldestMs: number };
  readonly deadLetters: readonly { readonly platform: Platform; readonly letters: number }[];
}

const OUTBOX = `
  SELECT count(*)::int AS rows,
    coalesce(extract(epoch FROM now() - min(created_at)) * 1000, 0)::float8 AS oldest_ms
  FROM outbox`;

const DEAD_LETTERS = `
  SELECT platform, count(*)::int AS letters FROM push_dead_letters GROUP BY platform`;

/** The ledger, as those see it who want to know how far behind it is. */
@Injectable()
export class PushBacklogRepository {
  constructor(private readonly database: Database) {}

  /** A row for each platform that something waits for. Reads every pending delivery. */
  async pending(): Promise<PendingDeliveries[]> {
    const rows = await this.database.query<PendingRow>('push_backlog', PENDING);
    return rows.map((row) => ({
      platform: row.platform,
      count: row.count,
      oldestMs: Math.max(0, row.oldest_ms),
      retried: retriedOf(row),
    }));
  }

  /** Reads every row of both tables. */
  async stored(): Promise<StoredRows> {
    const [[outbox], deadLetters] = await Promise.all([
      this.database.query<{ rows: number; oldest_ms: number }>('outbox_backlog', OUTBOX),
      this.database.query<{ platform: Platform; letters: number }>(
        'stored_dead_letters',
        DEAD_LETTERS,
      ),
    ]);
    return {
      outbox: { rows: outbox?.rows ?? 0, oldestMs: Math.max(0, outbox?.oldest_ms ?? 0) },
      deadLetters,
    };
  }
}

const retriedOf = ({ retried, reason, retried_oldest_ms: oldestMs }: PendingRow) =>
  reason === null ? null : { count: retried, reason, oldestMs: Math.max(0, oldestMs ?? 0) };
