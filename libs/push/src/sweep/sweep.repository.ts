import { Injectable } from '@nestjs/common';
import type { PromisedLogout } from '#auth';
import type { NotificationKind, Platform } from '#contracts';
import { groupBy } from '#core';
import { Database } from '#database';
import type { AcceptedDeliveries } from '../accept/accepted-deliveries.js';

/** How long a delivery may be overdue before its job is taken for lost, in milliseconds. */
export type Patience = Readonly<Partial<Record<Platform, number>>>;

export interface OverduePage {
  readonly deliveries: readonly AcceptedDeliveries[];
  /** The last of this page, to go on after; null when there is nothing behind it. */
  readonly next: string | null;
}

interface OverdueRow {
  notification_id: string;
  device_id: number;
  platform: Platform;
  sequence: string;
  kind: NotificationKind;
  user_id: number;
  realm_id: number;
}

// Its time starts anew, so that no two sweepers wake the same, and the next pass finds something else. The index
// in order is for those who say that the sequence is positive; no other statement is to take it for empty.
const OVERDUE = `
  WITH overdue AS (
    SELECT delivery.notification_id, delivery.device_id, delivery.platform, delivery.sequence
    FROM push_deliveries delivery
    JOIN unnest($2::text[], $3::float8[]) AS patience (platform, seconds)
      ON patience.platform = delivery.platform
    WHERE delivery.state = 'pending' AND delivery.sequence > 0 AND delivery.sequence > $1
      AND delivery.due_at < now() - make_interval(secs => patience.seconds)
    ORDER BY delivery.sequence LIMIT $4
    FOR UPDATE OF delivery SKIP LOCKED
  ), touched AS (
    UPDATE push_deliveries delivery SET due_at = now() FROM overdue
    WHERE delivery.notification_id = overdue.notification_id
      AND delivery.device_id = overdue.device_id
  )
  SELECT overdue.notification_id, overdue.device_id, overdue.platform, overdue.sequence::text,
    notification.kind, notification.user_id, account.realm_id
  FROM overdue
  JOIN push_notifications notification ON notification.id = overdue.notification_id
  JOIN users account ON account.id = notification.user_id
  ORDER BY overdue.sequence`;

const PROMISED = `
  SELECT id::text AS outbox_id, (payload ->> 'userId')::int AS user_id,
    (payload ->> 'keyGeneration')::int AS key_generation
  FROM outbox
  WHERE topic = 'account.logout' AND id > $1 AND created_at < now() - make_interval(secs => $2)
  ORDER BY id LIMIT $3`;

/** The ledger and the outbox, as the sweeper sees them. Ages are in milliseconds. */
@Injectable()
export class SweepRepository {
  constructor(private readonly database: Database) {}

  /** A page of what is overdue, in the order of its acceptance. */
  async overdue(patience: Patience, afterSequence: string, limit: number): Promise<OverduePage> {
    const rows = await this.database.query<OverdueRow>('sweep_overdue', OVERDUE, [
      afterSequence,
      Object.keys(patience),
      Object.values(patience).map((milliseconds) => milliseconds / 1000),
      limit,
    ]);
    const groups = groupBy(rows, (row) => `${row.notification_id} ${row.platform}`);
    const last = rows.length < limit ? undefined : rows.at(-1);
    return {
      deliveries: [...groups.values()].flatMap(toDeliveries),
      next: last?.sequence ?? null,
    };
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
}

function toDeliveries(rows: readonly OverdueRow[]): AcceptedDeliveries[] {
  const [first] = rows;
  if (first === undefined) return [];
  return [
    {
      notificationId: first.notification_id,
      kind: first.kind,
      userId: first.user_id,
      realmId: first.realm_id,
      platform: first.platform,
      deviceIds: rows.map((row) => row.device_id),
    },
  ];
}
