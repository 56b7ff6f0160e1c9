import { Injectable } from '@nestjs/common';
import type { NotificationKind, Platform } from '#push/jobs';
import { Database, queryRow } from '#platform/database';
import { type OperatorAction, OperatorActions } from '#platform/operator-actions';
import { lockLedger } from '#push/delivery';
import {
  type AcceptedDeliveries,
  type AcceptedDeliveriesRow,
  devicesOf,
  toAcceptedDeliveries,
} from '#push/notifications';
import { deadLetterId, type DeadLetterKey } from './dead-letter.rules.js';

/** A delivery whose message the provider rejected, kept for an operator. */
export interface DeadLetter {
  /** The notification's id, a slash, the device's. */
  readonly id: string;
  readonly notificationId: string;
  readonly deviceId: number;
  readonly userId: number;
  readonly platform: Platform;
  readonly kind: NotificationKind;
  /** As the provider spells it. */
  readonly reason: string;
  readonly fingerprint: string | null;
  /** The payload, every text in it replaced by its length. */
  readonly payload: unknown;
  readonly createdAt: Date;
}

/** The number of dead letters with one reason. */
export interface DeadLetterCount {
  readonly reason: string;
  readonly platform: Platform;
  readonly letters: number;
  readonly oldestAt: Date;
}

/** Selects dead letters; `keys` and `reason` are combined by AND. */
interface DeadLetterFilter {
  readonly keys: readonly DeadLetterKey[] | null;
  readonly reason: string | null;
  /** Only letters that were created by then. */
  readonly until: Date;
}

interface LetterRow {
  notification_id: string;
  device_id: number;
  user_id: number;
  platform: Platform;
  kind: NotificationKind;
  reason: string;
  fingerprint: string | null;
  payload: unknown;
  created_at: Date;
}

const LIST = `
  SELECT notification_id, device_id, user_id, platform, kind, reason, fingerprint, payload, created_at
  FROM push_dead_letters
  WHERE $1::text IS NULL OR reason = $1
  ORDER BY created_at DESC, notification_id, device_id LIMIT $2`;

const COUNT = `
  SELECT reason, platform, count(*)::int AS letters, min(created_at) AS oldest_at
  FROM push_dead_letters GROUP BY reason, platform
  ORDER BY letters DESC, reason, platform`;

/** SQL: the letters of a filter. */
const CHOSEN = `
  ($1::uuid[] IS NULL OR EXISTS (
    SELECT FROM unnest($1::uuid[], $2::int[]) AS asked (notification_id, device_id)
    WHERE asked.notification_id = letter.notification_id
      AND coalesce(asked.device_id, letter.device_id) = letter.device_id
  ))
  AND ($3::text IS NULL OR letter.reason = $3)
  AND letter.created_at <= $4`;

// Requires the lock of the ledger. A notification that the ledger has forgotten comes back from the copy in the letter, as
// accepted now; a letter without a copy (from an early release) stays. The new time to live is as long as the first one was,
// for a day at most.
const REQUEUE = `
  WITH chosen AS MATERIALIZED (
    SELECT letter.*, account.realm_id,
      least(letter.expires_at - letter.accepted_at, interval '1 day') AS lives,
      (
        SELECT accepted_at FROM push_notifications WHERE id = letter.notification_id
      ) AS accepted_in_ledger
    FROM push_dead_letters letter
    JOIN users account ON account.id = letter.user_id
    WHERE letter.content IS NOT NULL AND NOT EXISTS (
        SELECT FROM push_deliveries delivery
        WHERE delivery.notification_id = letter.notification_id
          AND delivery.device_id = letter.device_id AND delivery.state <> 'rejected'
      )
      AND ${CHOSEN}
    ORDER BY letter.created_at LIMIT $5
    FOR UPDATE OF letter SKIP LOCKED
  ), gone AS (
    DELETE FROM push_dead_letters letter USING chosen
    WHERE letter.notification_id = chosen.notification_id AND letter.device_id = chosen.device_id
  ), freshened AS (
    UPDATE push_notifications notification
    SET expires_at = greatest(notification.expires_at, now() + chosen.lives)
    FROM chosen WHERE notification.id = chosen.notification_id
  ), restored AS (
    INSERT INTO push_notifications (id, realm_id, user_id, kind, content, expires_at)
    SELECT DISTINCT ON (notification_id)
      notification_id, realm_id, user_id, kind, content, now() + lives
    FROM chosen WHERE accepted_in_ledger IS NULL
  ), revived AS (
    UPDATE push_deliveries delivery
    SET state = 'pending', attempts = 0, reason = NULL, due_at = now(), updated_at = now(),
      history = coalesce(delivery.history, '[]') || jsonb_build_object(
        'at', chosen.created_at, 'reason', chosen.reason, 'next', now()
      )
    FROM chosen
    WHERE delivery.notification_id = chosen.notification_id
      AND delivery.device_id = chosen.device_id
    RETURNING delivery.notification_id, delivery.device_id
  ), returned AS (
    INSERT INTO push_deliveries
      (notification_id, device_id, accepted_at, realm_id, platform, may_wait, fingerprint, history)
    SELECT notification_id, device_id, coalesce(accepted_in_ledger, now()), realm_id, platform,
      kind = 'remove', fingerprint,
      jsonb_build_array(
        jsonb_build_object('at', created_at, 'reason', reason, 'next', now())
      )
    FROM chosen
    WHERE (notification_id, device_id) NOT IN (SELECT notification_id, device_id FROM revived)
  )
  SELECT notification_id, kind, user_id, realm_id, platform,
    array_agg(device_id ORDER BY device_id) AS device_ids
  FROM chosen GROUP BY notification_id, kind, user_id, realm_id, platform`;

const DISMISS = `
  DELETE FROM push_dead_letters WHERE (notification_id, device_id) IN (
    SELECT letter.notification_id, letter.device_id FROM push_dead_letters letter
    WHERE ${CHOSEN}
    ORDER BY letter.created_at LIMIT $5
  )
  RETURNING 1`;

/** Stores dead letters, and moves them back into the ledger. */
@Injectable()
export class DeadLetterRepository {
  constructor(
    private readonly database: Database,
    private readonly actions: OperatorActions,
  ) {}

  /** The letters with a reason, or all when null; the newest first. */
  async list(reason: string | null, limit: number): Promise<DeadLetter[]> {
    const rows = await this.database.query<LetterRow>('dead_letters', LIST, [reason, limit]);
    return rows.map((row) => ({
      id: deadLetterId(row.notification_id, row.device_id),
      notificationId: row.notification_id,
      deviceId: row.device_id,
      userId: row.user_id,
      platform: row.platform,
      kind: row.kind,
      reason: row.reason,
      fingerprint: row.fingerprint,
      payload: row.payload,
      createdAt: row.created_at,
    }));
  }

  /** The number of letters of each reason and platform, the most frequent first. */
  async countByReason(): Promise<DeadLetterCount[]> {
    const rows = await this.database.query<{
      reason: string;
      platform: Platform;
      letters: number;
      oldest_at: Date;
    }>('count_dead_letters', COUNT);
    return rows.map(({ oldest_at: oldestAt, ...count }) => ({ ...count, oldestAt }));
  }

  /** The time of the database, whose clock also dates the letters. */
  async now(): Promise<Date> {
    const { now } = await queryRow<{ now: Date }>(this.database, 'now', 'SELECT now()');
    return now;
  }

  /**
   * Makes up to `limit` letters deliveries again that are due now, with no attempt made, in one transaction, and records it.
   * Resolves with the deliveries to enqueue; none when there is nothing left to requeue.
   */
  async requeue(filter: DeadLetterFilter, limit: number): Promise<AcceptedDeliveries[]> {
    return this.database.transaction(async (transaction) => {
      await lockLedger(transaction);
      const rows = await transaction.query<AcceptedDeliveriesRow>(
        'requeue_dead_letters',
        REQUEUE,
        valuesOf(filter, limit),
      );
      const accepted = rows.map(toAcceptedDeliveries);
      const count = devicesOf(accepted);
      if (count > 0) await this.actions.record(actionOf('requeue', filter, count), transaction);
      return accepted;
    });
  }

  /** Removes up to `limit` letters with a record, and resolves with their number. */
  async dismiss(filter: DeadLetterFilter, limit: number): Promise<number> {
    return this.database.transaction(async (transaction) => {
      const values = valuesOf(filter, limit);
      const { length: count } = await transaction.query('dismiss_dead_letters', DISMISS, values);
      if (count > 0) await this.actions.record(actionOf('dismiss', filter, count), transaction);
      return count;
    });
  }
}

/** The most ids that are recorded. */
const MAX_RECORDED = 20;

/** A choice of many letters takes several statements, each with its own record. */
const actionOf = (
  verb: 'requeue' | 'dismiss',
  { keys, reason }: DeadLetterFilter,
  letters: number,
): OperatorAction => ({
  action: `dead-letters.${verb}`,
  target: reason ?? (keys === null ? 'all' : 'ids'),
  details: {
    letters,
    ...(keys !== null && { ids: keys.slice(0, MAX_RECORDED).map(textOf) }),
  },
});

const textOf = ({ notificationId, deviceId }: DeadLetterKey): string =>
  deviceId === null ? notificationId : deadLetterId(notificationId, deviceId);

const valuesOf = ({ keys, reason, until }: DeadLetterFilter, limit: number): unknown[] => [
  keys?.map(({ notificationId }) => notificationId) ?? null,
  keys?.map(({ deviceId }) => deviceId) ?? null,
  reason,
  until,
  limit,
];
