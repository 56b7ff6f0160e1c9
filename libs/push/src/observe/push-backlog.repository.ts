import { Injectable } from '@nestjs/common';
import type { Platform } from '#contracts';
import { Database } from '#database';

/** What the ledger says is still to be sent to one platform. */
export interface PendingDeliveries {
  readonly platform: Platform;
  readonly count: number;
  /** How long ago the oldest of them was accepted. */
  readonly oldestMs: number;
}

interface PendingRow {
  platform: Platform;
  count: number;
  oldest_ms: number;
}

// The first in order is the oldest, near enough: the order is that of acceptance.
const PENDING = `
  WITH pending AS (
    SELECT platform, count(*)::int AS count, min(sequence) AS first_sequence
    FROM push_deliveries WHERE state = 'pending' GROUP BY platform
  )
  SELECT pending.platform, pending.count,
    (extract(epoch FROM now() - notification.accepted_at) * 1000)::float8 AS oldest_ms
  FROM pending
  JOIN push_deliveries delivery
    ON delivery.state = 'pending' AND delivery.sequence = pending.first_sequence
  JOIN push_notifications notification ON notification.id = delivery.notification_id`;

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
    }));
  }
}
