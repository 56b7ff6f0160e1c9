import { Injectable } from '@nestjs/common';
import type { NotificationKind, Platform } from '#push/jobs';
import { groupBy } from '#platform/core';
import { Database } from '#platform/database';
import type { AcceptedDeliveries } from '#push/notifications';

/** How long a delivery may be overdue before its job counts as lost, in milliseconds. */
export type GracePeriods = Readonly<Partial<Record<Platform, number>>>;

/** A page of overdue deliveries. */
export interface OverduePage {
  readonly deliveries: readonly AcceptedDeliveries[];
  /** Where the next page begins; null at the end. */
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

// The due time is set to now, so that no second sweeper takes the same rows and the next pass finds others. The
// condition on a positive sequence selects the ordered index; other statements leave it out, so that the planner
// does not take that index for empty there.
const OVERDUE = `
  WITH overdue AS (
    SELECT delivery.notification_id, delivery.device_id, delivery.platform, delivery.sequence
    FROM push_deliveries delivery
    JOIN unnest($2::text[], $3::float8[]) AS grace (platform, seconds)
      ON grace.platform = delivery.platform
    WHERE delivery.state = 'pending' AND delivery.sequence > 0 AND delivery.sequence > $1
      AND delivery.due_at < now() - make_interval(secs => grace.seconds)
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

/** Finds overdue deliveries. */
@Injectable()
export class SweepRepository {
  constructor(private readonly database: Database) {}

  /** A page of overdue deliveries, in the order of their acceptance. */
  async overdue(
    gracePeriods: GracePeriods,
    afterSequence: string,
    limit: number,
  ): Promise<OverduePage> {
    const rows = await this.database.query<OverdueRow>('sweep_overdue', OVERDUE, [
      afterSequence,
      Object.keys(gracePeriods),
      Object.values(gracePeriods).map((milliseconds) => milliseconds / 1000),
      limit,
    ]);
    const groups = groupBy(rows, (row) => `${row.notification_id} ${row.platform}`);
    const last = rows.length < limit ? undefined : rows.at(-1);
    return {
      deliveries: [...groups.values()].flatMap(toDeliveries),
      next: last?.sequence ?? null,
    };
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
