import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '#platform/database';
import type { DeliveryKey } from '#push/notifications';

/** A number that no other lock of the database uses. */
const LEDGER_LOCK = 7_218_091_201;

const TRY = 'SELECT pg_try_advisory_xact_lock($1) AS is_mine';
const WAIT = 'SELECT pg_advisory_xact_lock($1)';

/**
 * Locks the ledger: the removal of old rows and the restoration of rows exclude each other. The lock ends with the
 * transaction. False if another transaction holds it.
 */
async function tryLockLedger(transaction: Transaction): Promise<boolean> {
  const [row] = await transaction.query<{ is_mine: boolean }>('try_lock_ledger', TRY, [
    LEDGER_LOCK,
  ]);
  return row?.is_mine === true;
}

/** Locks the ledger, after the end of any other transaction that holds the lock. */
export async function lockLedger(transaction: Transaction): Promise<void> {
  await transaction.query('lock_ledger', WAIT, [LEDGER_LOCK]);
}

// The index of the acceptance times finds exactly the rows to remove. Old notifications that have not expired were
// requeued, which is rare.
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

// Their ids are in the order of their times.
const FORGET_PAGES = `
  WITH page AS MATERIALIZED (
    SELECT id FROM push_pages
    WHERE id < (
      lpad(to_hex((extract(epoch FROM now() - make_interval(secs => $1)) * 1000)::bigint), 12, '0')
      || '00000000000000000000'
    )::uuid AND expires_at <= now()
    ORDER BY id LIMIT $2
  )
  DELETE FROM push_pages WHERE id IN (SELECT id FROM page) RETURNING id`;

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

/** A checked part of all deliveries. */
interface OrphanSlice {
  readonly removed: number;
  /** Where the next part begins; null at the end. */
  readonly next: DeliveryKey | null;
}

/**
 * Removes rows that are older than their retention, a page in each call. Only one process removes at a time; the others
 * remove nothing. Ages are in milliseconds.
 */
@Injectable()
export class RetentionRepository {
  constructor(private readonly database: Database) {}

  /** Removes notifications with their deliveries; resolves with their number. */
  forgetNotifications(ageMs: number, limit: number): Promise<number> {
    return this.#remove('forget_notifications', FORGET_NOTIFICATIONS, ageMs, limit);
  }

  /** Resolves with the number of removed pages. */
  forgetPages(ageMs: number, limit: number): Promise<number> {
    return this.#remove('forget_pages', FORGET_PAGES, ageMs, limit);
  }

  /** Resolves with the number of removed letters. */
  forgetDeadLetters(ageMs: number, limit: number): Promise<number> {
    return this.#remove('forget_dead_letters', FORGET_DEAD_LETTERS, ageMs, limit);
  }

  /**
   * Checks up to `limit` deliveries after the given one, in the order of their keys, and removes those without a
   * notification. Only the previous release leaves such deliveries behind.
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
    return this.database.transaction(async (transaction) => {
      if (!(await tryLockLedger(transaction))) return 0;
      return (await transaction.query(name, text, [ageMs / 1000, limit])).length;
    });
  }
}
