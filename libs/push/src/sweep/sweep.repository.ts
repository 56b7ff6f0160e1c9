import { Injectable } from '@nestjs/common';
import type { PromisedLogout } from '#auth';
import type { Platform } from '#contracts';
import { groupBy } from '#core';
import { Database } from '#database';
import { type DeliveryChunk, DEVICES_PER_JOB } from '../deliver/delivery-jobs.rules.js';

/** Where a pass over the pending deliveries has got to. */
export interface SweepPosition {
  readonly updatedAt: Date;
  readonly notificationId: string;
  readonly deviceId: number;
}

export interface PendingPage {
  readonly chunks: readonly DeliveryChunk[];
  /** Null when there is nothing behind this page. */
  readonly next: SweepPosition | null;
}

interface PendingRow {
  notification_id: string;
  platform: Platform;
  device_id: number;
  chunk: number;
  updated_at: Date;
  is_page: boolean;
}

// Chunks are counted over all devices of a notification, ended deliveries included, so that a chunk has
// the id that its job was first given.
const PENDING = `
  WITH page AS (
    SELECT notification_id, device_id, platform, updated_at FROM push_deliveries
    WHERE state = 'pending' AND updated_at < now() - make_interval(secs => $1)
      AND (updated_at, notification_id, device_id) > ($2::timestamptz, $3::uuid, $4::int)
    ORDER BY updated_at, notification_id, device_id LIMIT $5
  ), numbered AS (
    SELECT notification_id, platform, device_id, state, updated_at,
      (row_number() OVER (PARTITION BY notification_id, platform ORDER BY device_id) - 1) / $6::int
        AS chunk
    FROM push_deliveries
    WHERE notification_id IN (SELECT notification_id FROM page)
  )
  SELECT numbered.notification_id, numbered.platform, numbered.device_id, numbered.chunk::int,
    numbered.updated_at, page.device_id IS NOT NULL AS is_page
  FROM numbered
  LEFT JOIN page
    ON page.notification_id = numbered.notification_id AND page.device_id = numbered.device_id
  WHERE numbered.state = 'pending'
  ORDER BY numbered.updated_at, numbered.notification_id, numbered.device_id`;

const PROMISED = `
  SELECT id::text AS outbox_id, (payload ->> 'userId')::int AS user_id,
    (payload ->> 'keyGeneration')::int AS key_generation
  FROM outbox
  WHERE topic = 'account.logout' AND id > $1 AND created_at < now() - make_interval(secs => $2)
  ORDER BY id LIMIT $3`;

const FORGET = `
  DELETE FROM push_notifications WHERE id IN (
    SELECT id FROM push_notifications
    WHERE accepted_at < now() - make_interval(secs => $1)
    ORDER BY accepted_at LIMIT $2
  )
  RETURNING 1`;

/** The ledger and the outbox, as the sweeper sees them. Ages are in milliseconds. */
@Injectable()
export class SweepRepository {
  constructor(private readonly database: Database) {}

  /** A page of what has been pending for longer than `ageMs`; null begins at the oldest. */
  async pending(ageMs: number, after: SweepPosition | null, limit: number): Promise<PendingPage> {
    const from = after ?? { updatedAt: new Date(0), notificationId: NIL_UUID, deviceId: 0 };
    const rows = await this.database.query<PendingRow>('sweep_pending', PENDING, [
      ageMs / 1000,
      from.updatedAt,
      from.notificationId,
      from.deviceId,
      limit,
      DEVICES_PER_JOB,
    ]);
    const page = rows.filter((row) => row.is_page);
    const last = page.length < limit ? undefined : page.at(-1);
    return { chunks: chunksOfRows(rows), next: last === undefined ? null : positionOf(last) };
  }

  /** Logouts promised longer than `ageMs` ago, in the order of their ids. */
  async promised(ageMs: number, afterId: string, limit: number): Promise<PromisedLogout[]> {
    const rows = await this.database.query<{
      outbox_id: string;
      user_id: number;
      key_generation: number;
    }>('sweep_outbox', PROMISED, [afterId, ageMs / 1000, limit]);
    return rows.map((row) => ({
      outboxId: row.outbox_id,
      userId: row.user_id,
      keyGeneration: row.key_generation,
    }));
  }

  /** Removes up to `limit` notifications older than `ageMs`, and resolves with how many there were. */
  async forget(ageMs: number, limit: number): Promise<number> {
    const rows = await this.database.query('forget_notifications', FORGET, [ageMs / 1000, limit]);
    return rows.length;
  }
}

const NIL_UUID = '00000000-0000-0000-0000-000000000000';

const positionOf = (row: PendingRow): SweepPosition => ({
  updatedAt: row.updated_at,
  notificationId: row.notification_id,
  deviceId: row.device_id,
});

function chunksOfRows(rows: readonly PendingRow[]): DeliveryChunk[] {
  const groups = groupBy(rows, (row) => `${row.notification_id} ${row.platform} ${row.chunk}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    return {
      notificationId: first.notification_id,
      platform: first.platform,
      chunk: first.chunk,
      deviceIds: group.map((row) => row.device_id),
    };
  });
}
