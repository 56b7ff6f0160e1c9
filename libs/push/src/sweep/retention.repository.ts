import { Injectable } from '@nestjs/common';
import { Database, type Session } from '#database';
import type { DeliveryKey } from '../deliver/delivery.repository.js';
import { tryLockLedger } from '../ledger-lock.js';

// The age alone decides, so that the index of the times leads to exactly what is to be removed. What is old but has not
// expired was requeued, which is rare, and for a day at most.
const FORGET_NOTIFICATIONS = `
  WITH page AS MATERIALIZED (
    SELECT id FROM push_notifications
    WHERE accepted_at < now() - make_interval(secs => $1) AND expires_at <= now()
    ORDER BY accepted_at LIMIT $2
  ), forgotten AS (
    DELETE FROM push_notifications WHERE id IN (SELECT id FROM page) RETURNING id
  ), deliveries AS (
    DELETE FROM push_deliveries delivery USING page WHERE delivery.notification_id = page.id
  )
  SELECT id FROM forgotten`;

const FORGET_DEAD_LETTERS = `
  WITH page AS MATERIALIZED (
    SELECT notification_id, device_id FROM push_dead_letters
    WHERE created_at < now() - make_interval(secs => $1)
    ORDER BY created_at LIMIT $2
  )
  DELETE FROM push_dead_letters letter USING page
  WHERE letter.notification_id = page.notification_id AND letter.device_id = page.device_id
  RETURNING letter.device_id`;

const SLICE = `
  SELECT delivery.notification_id, delivery.device_id, NOT EXISTS (
    SELECT FROM push_notifications notification WHERE notification.id = delivery.notification_id
  ) AS is_orphan
  FROM push_deliveries delivery
  WHERE (delivery.notification_id, delivery.device_id) > ($1::uuid, $2)
  ORDER BY delivery.notification_id, delivery.device_id LIMIT $3`;

const REMOVE_DELIVERIES = `
  DELETE FROM push_deliveries delivery
  USING unnest($1::uuid[], $2::int[]) AS orphan (notification_id, device_id)
  WHERE delivery.notification_id = orphan.notification_id
    AND delivery.device_id = orphan.device_id`;

interface SliceRow {
  notification_id: string;
  device_id: number;
  is_orphan: boolean;
}

/** A part of all deliveries that was looked at for orphans. */
export interface OrphanSlice {
  readonly removed: number;
  /** Where the next part begins; null at the end. */
  readonly next: DeliveryKey | null;
}

/**
 * Removes what is older than its retention, a page in each call. Of several processes one does it at a time: for the
 * others there is nothing to remove meanwhile. Ages are in milliseconds.
 */
@Injectable()
export class RetentionRepository {
  constructor(private readonly database: Database) {}

  /** Removes notifications with their deliveries; resolves with how many there were. */
  forgetNotifications(ageMs: number, limit: number): Promise<number> {
    return this.#remove('forget_notifications', FORGET_NOTIFICATIONS, ageMs, limit);
  }

  /** Resolves with how many were removed. */
  forgetDeadLetters(ageMs: number, limit: number): Promise<number> {
    return this.#remove('forget_dead_letters', FORGET_DEAD_LETTERS, ageMs, limit);
  }

  /**
   * Looks at up to `limit` deliveries after the given one, in the order of their keys, and removes those without a
   * notification. None is made so by this release; the previous one leaves them on the present schema.
   */
  async removeOrphans(after: DeliveryKey, limit: number): Promise<OrphanSlice> {
    const rows = await this.database.query<SliceRow>('slice_of_deliveries', SLICE, [
      after.notificationId,
      after.deviceId,
      limit,
    ]);
    const orphans = rows.filter(({ is_orphan }) => is_orphan);
    if (orphans.length > 0) {
      await this.database.query('remove_orphans', REMOVE_DELIVERIES, [
        orphans.map(({ notification_id }) => notification_id),
        orphans.map(({ device_id }) => device_id),
      ]);
    }
    const last = rows.length < limit ? undefined : rows.at(-1);
    const next = last && { notificationId: last.notification_id, deviceId: last.device_id };
    return { removed: orphans.length, next: next ?? null };
  }

  #remove(name: string, text: string, ageMs: number, limit: number): Promise<number> {
    return this.database.transaction(async (session: Session) => {
      if (!(await tryLockLedger(session))) return 0;
      return (await session.query(name, text, [ageMs / 1000, limit])).length;
    });
  }
}
