import { Injectable } from '@nestjs/common';
import type { DeliveryState, Platform } from '#contracts';
import { groupBy } from '#core';
import { Database } from '#database';
import { chunksOf, type DeliveryChunk } from '../deliver/delivery-jobs.rules.js';
import { gathered } from '../gather.js';
import type { NotificationContent } from '../notification-content.js';

/** A notification to accept. */
export interface NewNotification {
  /** A UUID of the caller's making. */
  readonly id: string;
  readonly userId: number;
  /** The key that signed in: once it is replaced, it notifies no one any more. */
  readonly keyGeneration: number;
  /** The one device that it is for; all of the account's when null. */
  readonly token: string | null;
  readonly content: NotificationContent;
  /** UNIX milliseconds. */
  readonly expiresAt: number;
}

interface TargetRow {
  notification_id: string;
  platform: Platform;
  device_ids: number[];
}

// A device counts while it belongs to the account's present key. APNs tokens are kept in lower case.
const ACCEPT = `
  WITH asked AS (
    SELECT * FROM unnest(
      $1::uuid[], $2::int[], $3::int[], $4::text[], $5::text[], $6::text[], $7::timestamptz[]
    ) AS asked (id, user_id, key_generation, token, kind, content, expires_at)
  ), target AS (
    SELECT asked.id AS notification_id, device.id AS device_id, device.platform
    FROM asked
    JOIN users account
      ON account.id = asked.user_id AND account.key_generation = asked.key_generation
      AND account.is_active
    JOIN push_devices device
      ON device.user_id = account.id AND device.key_generation = account.key_generation
      AND (
        asked.token IS NULL OR device.token = asked.token
        OR (device.platform = 'apns' AND device.token = lower(asked.token))
      )
  ), notification AS (
    INSERT INTO push_notifications (id, user_id, kind, content, expires_at)
    SELECT id, user_id, kind, content::jsonb, expires_at FROM asked
    WHERE id IN (SELECT notification_id FROM target)
  ), delivery AS (
    INSERT INTO push_deliveries (notification_id, device_id, platform)
    SELECT notification_id, device_id, platform FROM target
  )
  SELECT notification_id, platform, array_agg(device_id) AS device_ids
  FROM target GROUP BY notification_id, platform`;

const STATES = `SELECT state FROM push_deliveries WHERE notification_id = $1`;

/** The ledger, as those who accept notifications see it. */
@Injectable()
export class AcceptanceRepository {
  /**
   * Writes down a notification with a delivery for each device that it goes to, and resolves with the
   * work that follows: nothing when there is no such device, and then nothing is written either.
   *
   * Acceptances of the same moment share one statement.
   */
  readonly accept = gathered((items: readonly NewNotification[]) => this.#acceptAll(items));

  constructor(private readonly database: Database) {}

  /** How the deliveries of a notification stand. */
  async statesOf(notificationId: string): Promise<DeliveryState[]> {
    const rows = await this.database.query<{ state: DeliveryState }>('delivery_states', STATES, [
      notificationId,
    ]);
    return rows.map((row) => row.state);
  }

  async #acceptAll(items: readonly NewNotification[]): Promise<DeliveryChunk[][]> {
    const rows = await this.database.query<TargetRow>('accept_notifications', ACCEPT, [
      items.map((item) => item.id),
      items.map((item) => item.userId),
      items.map((item) => item.keyGeneration),
      items.map((item) => item.token),
      items.map((item) => item.content.kind),
      items.map((item) => JSON.stringify(item.content)),
      items.map((item) => new Date(item.expiresAt)),
    ]);
    const targets = groupBy(rows, (row) => row.notification_id);
    return items.map(({ id }) =>
      (targets.get(id) ?? []).flatMap((row) => chunksOf(id, row.platform, row.device_ids)),
    );
  }
}
