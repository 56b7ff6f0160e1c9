import { Injectable } from '@nestjs/common';
import type { NotificationKind, Platform } from '#push/jobs';
import { groupBy } from '#platform/core';
import { Database } from '#platform/database';
import {
  type AcceptedDeliveries,
  type AcceptedDeliveriesRow,
  MAY_BE_SHOWN,
  toAcceptedDeliveries,
} from '#push/notifications';
import { WAITS_BEHIND } from '../delivery.sql.js';

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

// Of the deliveries to a device only the first: thousands may wait for its end, and their worker goes on with them.
//
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
      AND NOT ${WAITS_BEHIND}
    ORDER BY delivery.sequence LIMIT $4
    FOR UPDATE OF delivery SKIP LOCKED
  ), touched AS (
    -- One that was not claimed yet does not count as shown from now on.
    UPDATE push_deliveries delivery SET due_at = now(), may_be_shown = ${MAY_BE_SHOWN} FROM overdue
    WHERE delivery.notification_id = overdue.notification_id
      AND delivery.device_id = overdue.device_id
  )
  SELECT overdue.notification_id, overdue.device_id, overdue.platform, overdue.sequence::text,
    notification.kind, notification.user_id, account.realm_id
  FROM overdue
  JOIN push_notifications notification ON notification.id = overdue.notification_id
  JOIN users account ON account.id = notification.user_id
  ORDER BY overdue.sequence`;

const OVERDUE_PAGES = `
  WITH overdue AS (
    SELECT page.id FROM push_pages page
    JOIN unnest($2::text[], $3::float8[]) AS grace (platform, seconds) ON grace.platform = page.platform
    WHERE page.is_open AND page.sequence > $1
      AND page.due_at < now() - make_interval(secs => grace.seconds)
    ORDER BY page.sequence LIMIT $4
    FOR UPDATE OF page SKIP LOCKED
  ), touched AS (
    UPDATE push_pages page SET due_at = now() FROM overdue WHERE page.id = overdue.id
    RETURNING page.id, page.platform, page.sequence, page.content, page.realm_id, page.device_ids
  )
  SELECT id AS notification_id, platform, sequence::text, content ->> 'kind' AS kind, NULL::int AS user_id,
    realm_id, device_ids, true AS is_page
  FROM touched ORDER BY touched.sequence`;

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

  /** The same for pages. */
  async overduePages(
    gracePeriods: GracePeriods,
    afterSequence: string,
    limit: number,
  ): Promise<OverduePage> {
    const rows = await this.database.query<AcceptedDeliveriesRow & { readonly sequence: string }>(
      'sweep_overdue_pages',
      OVERDUE_PAGES,
      [
        afterSequence,
        Object.keys(gracePeriods),
        Object.values(gracePeriods).map((milliseconds) => milliseconds / 1000),
        limit,
      ],
    );
    const last = rows.length < limit ? undefined : rows.at(-1);
    return { deliveries: rows.map(toAcceptedDeliveries), next: last?.sequence ?? null };
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
