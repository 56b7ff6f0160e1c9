import { Injectable } from '@nestjs/common';
import type { ApnsEnvironment, DeliveryState, NotificationKind, Platform } from '#contracts';
import { Database } from '#database';
import { gathered } from '../gather.js';
import { type DeliveryKey, STILL_PENDING } from './delivery.repository.js';

/** What became of a delivery; a pending one is tried again at `dueAt`. */
export interface DeliveryRecord extends DeliveryKey {
  readonly state: DeliveryState;
  /** Whether the provider was asked, and the attempt counts. */
  readonly isAttempt: boolean;
  readonly reason: string | null;
  readonly dueAt: Date | null;
  /** A token to remove from every account, unless it was registered again since. */
  readonly dead: DeadToken | null;
  /** What could not be sent to anyone, for an operator to look at. */
  readonly deadLetter: DeadLetter | null;
  /** Apple's environment of the device, where it has just been found out. */
  readonly environment: ApnsEnvironment | null;
}

export interface DeadToken {
  readonly platform: Platform;
  readonly token: string;
  /** Only devices of this app; of all when null. */
  readonly appId: string | null;
  readonly since: Date;
}

export interface DeadLetter {
  readonly userId: number;
  readonly platform: Platform;
  readonly kind: NotificationKind;
  /** Without any text of it. */
  readonly payload: unknown;
}

// Of the deliveries of `changed`: what has been waiting for the same device, and comes first of that.
const NEXT = `
  CROSS JOIN LATERAL (
    SELECT later.notification_id FROM push_deliveries later
    WHERE later.device_id = changed.device_id AND later.sequence > changed.sequence
      AND later.state = 'pending'
    ORDER BY later.sequence LIMIT 1
  ) AS next`;

// LIMIT leaves out nothing. It makes the planner expect one row and not ten, so that each delivery is looked up by its key:
// by statistics of a ledger that is nearly empty it would read the whole index instead, and keep that plan as it grows.
// A delivery that has ended, by whomever, stays as it is. The ledger keeps the last twenty failed attempts. A dead letter
// copies its notification, which the ledger forgets sooner; OFFSET keeps that look-up one by key for each letter.
const RECORD = `
  WITH made AS (
    SELECT * FROM unnest(
      $1::uuid[], $2::int[], $3::text[], $4::int[], $5::text[], $6::timestamptz[],
      $7::text[], $8::text[], $9::text[], $10::timestamptz[], $11::jsonb[], $12::text[]
    ) WITH ORDINALITY AS made (
      notification_id, device_id, state, attempts, reason, due_at,
      dead_platform, dead_token, dead_app_id, dead_since, dead_letter, environment, place
    )
    LIMIT cardinality($1::uuid[])
  ), pruned AS (
    DELETE FROM push_devices device USING made
    WHERE device.platform = made.dead_platform
      AND device.token_digest = sha256(convert_to(made.dead_token, 'UTF8'))
      AND (made.dead_app_id IS NULL OR device.app_id = made.dead_app_id)
      AND device.registered_at <= made.dead_since
    RETURNING device.platform
  ), learnt AS (
    UPDATE push_devices device SET environment = made.environment
    FROM made WHERE device.id = made.device_id AND made.environment IS NOT NULL
  ), changed AS (
    UPDATE push_deliveries delivery
    SET state = made.state, attempts = delivery.attempts + made.attempts, reason = made.reason,
      due_at = coalesce(made.due_at, delivery.due_at), updated_at = now(),
      history = CASE
        WHEN made.state <> 'pending' OR made.attempts = 0 THEN delivery.history
        ELSE (
          CASE WHEN jsonb_array_length(coalesce(delivery.history, '[]')) >= 20
            THEN delivery.history - 0 ELSE coalesce(delivery.history, '[]') END
        ) || jsonb_build_object('at', now(), 'reason', made.reason, 'next', made.due_at)
      END
    FROM made
    WHERE delivery.notification_id = made.notification_id AND delivery.device_id = made.device_id
      AND ${STILL_PENDING}
    RETURNING made.place, delivery.notification_id, delivery.device_id, delivery.sequence,
      delivery.state, delivery.fingerprint
  ), kept AS (
    INSERT INTO push_dead_letters (
      notification_id, device_id, user_id, platform, kind, reason, fingerprint, payload,
      content, accepted_at, expires_at
    )
    SELECT notification_id, device_id, (dead_letter ->> 'userId')::int, dead_letter ->> 'platform',
      dead_letter ->> 'kind', coalesce(reason, ''), changed.fingerprint, dead_letter -> 'payload',
      copied.content, copied.accepted_at, copied.expires_at
    FROM made JOIN changed USING (notification_id, device_id)
    CROSS JOIN LATERAL (
      SELECT content, accepted_at, expires_at FROM push_notifications
      WHERE id = notification_id OFFSET 0
    ) AS copied
    WHERE dead_letter IS NOT NULL
    ON CONFLICT (notification_id, device_id) DO NOTHING
  )
  SELECT platform, count(*)::int AS devices, NULL::int AS place, NULL::uuid AS notification_id
  FROM pruned GROUP BY platform
  UNION ALL
  SELECT NULL, NULL, changed.place::int, next.notification_id FROM changed ${NEXT}
  WHERE changed.state <> 'pending'`;

// What most of them are: taken, with nothing else to write down.
const RECORD_DELIVERED = `
  WITH changed AS (
    UPDATE push_deliveries delivery
    SET state = 'delivered', attempts = delivery.attempts + 1, reason = NULL, updated_at = now()
    FROM (
      SELECT * FROM unnest($1::uuid[], $2::int[])
        WITH ORDINALITY AS made (notification_id, device_id, place)
      LIMIT cardinality($1::uuid[])
    ) AS made
    WHERE delivery.notification_id = made.notification_id AND delivery.device_id = made.device_id
      AND ${STILL_PENDING}
    RETURNING made.place, delivery.device_id, delivery.sequence
  )
  SELECT changed.place::int, next.notification_id FROM changed ${NEXT}`;

interface NextRow {
  place: number;
  notification_id: string;
}

type RecordedRow = (PrunedDevices & { place: null }) | NextRow;

/** Devices that were removed with a dead token. */
export interface PrunedDevices {
  readonly platform: Platform;
  readonly devices: number;
}

/** What came of writing a record down. */
export interface Recorded {
  /** Devices that were removed, told to one of the callers that share the statement. */
  readonly pruned: readonly PrunedDevices[];
  /** What has been waiting for the same device, where the delivery has ended. */
  readonly next: DeliveryKey | null;
}

/** The ledger, as the worker sees it once it has sent. Calls of the same moment share a statement. */
@Injectable()
export class DeliveryRecordRepository {
  readonly #record = gathered((records: readonly DeliveryRecord[]) => this.#recordAll(records));
  readonly #recordDelivered = gathered((records: readonly DeliveryRecord[]) =>
    this.#recordAllDelivered(records),
  );

  constructor(private readonly database: Database) {}

  /** Writes down what became of a delivery, and removes a token that turned out dead. */
  record(record: DeliveryRecord): Promise<Recorded> {
    const isPlain = record.state === 'delivered' && record.environment === null;
    return isPlain ? this.#recordDelivered(record) : this.#record(record);
  }

  async #recordAllDelivered(keys: readonly DeliveryKey[]): Promise<Recorded[]> {
    const rows = await this.database.query<NextRow>('record_delivered', RECORD_DELIVERED, [
      keys.map((key) => key.notificationId),
      keys.map((key) => key.deviceId),
    ]);
    return nextOf(keys, rows).map((next) => ({ pruned: [], next }));
  }

  async #recordAll(records: readonly DeliveryRecord[]): Promise<Recorded[]> {
    const rows = await this.database.query<RecordedRow>('record_deliveries', RECORD, [
      records.map((record) => record.notificationId),
      records.map((record) => record.deviceId),
      records.map((record) => record.state),
      records.map((record) => (record.isAttempt ? 1 : 0)),
      records.map((record) => record.reason),
      records.map((record) => record.dueAt),
      records.map((record) => record.dead?.platform ?? null),
      records.map((record) => record.dead?.token ?? null),
      records.map((record) => record.dead?.appId ?? null),
      records.map((record) => record.dead?.since ?? null),
      records.map(({ deadLetter }) => (deadLetter === null ? null : JSON.stringify(deadLetter))),
      records.map((record) => record.environment),
    ]);
    const pruned = rows.filter((row) => row.place === null);
    const waiting = rows.filter((row) => row.place !== null);
    return nextOf(records, waiting).map((next, index) => ({
      pruned: index === 0 ? pruned : [],
      next,
    }));
  }
}

function nextOf(keys: readonly DeliveryKey[], rows: readonly NextRow[]): (DeliveryKey | null)[] {
  const nextIds = new Map(rows.map(({ place, notification_id: id }) => [place, id]));
  return keys.map(({ deviceId }, index) => {
    const notificationId = nextIds.get(index + 1);
    return notificationId === undefined ? null : { notificationId, deviceId };
  });
}
