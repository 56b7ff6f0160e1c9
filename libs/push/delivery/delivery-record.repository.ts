import { Inject, Injectable, Logger } from '@nestjs/common';
import type { ApnsEnvironment, DeliveryState, NotificationKind, Platform } from '#push/jobs';
import { batchedWithRetry, errorText, Sampler, systemClock } from '#platform/core';
import { Database, type Session } from '#platform/database';
import { Metrics } from '#platform/telemetry';
import { type DeliveryKey, MAX_BLOCKING_ATTEMPTS } from '#push/notifications';
import { PUSH_OBSERVER, type PushObserver } from '#push/observability';
import type { DeadToken, RemovedDevices } from '#push/tokens';
import { ClientTokens, type SubscriptionChange, WebPushRepository } from '#push/devices';
import { STILL_PENDING } from './delivery-claim.repository.js';
import { secondsUntilDue } from './delivery-lease.js';
import type { PagePlace } from './pages/open-page.js';

/** The new state of a delivery; a pending one is tried again at `dueAt`, by the clock of this process. */
export interface DeliveryRecord extends DeliveryKey {
  readonly state: DeliveryState;
  /** Whether the provider was asked and the attempt counts. */
  readonly isAttempt: boolean;
  /** Whether the phone may show it after this attempt and those before. */
  readonly mayBeShown: boolean;
  /** Of a delivered one the id of Apple's development environment, if there is one. */
  readonly reason: string | null;
  readonly dueAt: Date | null;
  /** A token to remove from every account, unless it was registered again since. */
  readonly dead: DeadToken | null;
  /** The payload that the provider rejected, for an operator. */
  readonly deadLetter: DeadLetter | null;
  /** Apple's environment of the device, where the attempt has found it out. */
  readonly environment: ApnsEnvironment | null;
  /** The place in a page; left out for a delivery with a row of its own. */
  readonly inPage?: PagePlace | undefined;
  /** What the attempt says about a subscription of Web Push. */
  readonly subscription: SubscriptionChange | null;
}

/** A delivery that a provider rejected, kept for an operator. */
export interface DeadLetter {
  readonly userId: number;
  readonly platform: Platform;
  readonly kind: NotificationKind;
  /** Redacted. */
  readonly payload: unknown;
}

// For each row of `changed`: the first delivery that waits for the same device, but not one that waits for a retry of its own: it
// may hold up no others. Due times are rounded, up to half a millisecond ahead.
const NEXT = `
  CROSS JOIN LATERAL (
    SELECT later.notification_id FROM push_deliveries later
    WHERE later.device_id = changed.device_id AND later.sequence > changed.sequence
      AND later.state = 'pending' AND later.due_at <= now()::timestamptz(3)
    ORDER BY later.sequence LIMIT 1
  ) AS next`;

const RECORD = `
  WITH made AS (
    SELECT *, now() + make_interval(secs => due_seconds) AS due_at FROM unnest(
      $1::uuid[], $2::int[], $3::text[], $4::int[], $5::text[], $6::float8[],
      $7::text[], $8::text[], $9::text[], $10::timestamptz[], $11::jsonb[], $12::text[], $13::boolean[]
    ) WITH ORDINALITY AS made (
      notification_id, device_id, state, attempts, reason, due_seconds,
      dead_platform, dead_token, dead_app_id, dead_since, dead_letter, environment, may_be_shown, place
    )
    -- LIMIT cuts nothing off. It makes the planner expect few rows and look up each by its key: with statistics
    -- of a nearly empty ledger it would scan the whole index, and keep that plan as the ledger grows.
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
      due_at = coalesce(made.due_at, delivery.due_at), may_be_shown = made.may_be_shown, updated_at = now(),
      history = CASE
        WHEN made.state <> 'pending' OR made.attempts = 0 THEN delivery.history
        -- The last twenty failed attempts.
        ELSE (
          CASE WHEN jsonb_array_length(coalesce(delivery.history, '[]')) >= 20
            THEN delivery.history - 0 ELSE coalesce(delivery.history, '[]') END
        ) || jsonb_build_object('at', now(), 'reason', made.reason, 'next', made.due_at)
      END
    FROM made
    -- A delivery that has ended stays as it is.
    WHERE delivery.notification_id = made.notification_id AND delivery.device_id = made.device_id
      AND ${STILL_PENDING}
    RETURNING made.place, delivery.notification_id, delivery.device_id, delivery.sequence,
      delivery.state, delivery.attempts, delivery.fingerprint
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
      -- A copy, because notifications have a shorter retention. LIMIT: looked up by its key.
      SELECT content, accepted_at, expires_at FROM push_notifications
      WHERE id = notification_id LIMIT 1
    ) AS copied
    WHERE dead_letter IS NOT NULL
    ON CONFLICT (notification_id, device_id) DO NOTHING
  )
  SELECT platform, count(*)::int AS devices, NULL::int AS place, NULL::uuid AS notification_id
  FROM pruned GROUP BY platform
  UNION ALL
  SELECT NULL, NULL, changed.place::int, next.notification_id FROM changed ${NEXT}
  WHERE changed.state <> 'pending' OR changed.attempts = ${MAX_BLOCKING_ATTEMPTS}`;

// The most frequent case: delivered, and nothing else to write. The claim has marked it as shown.
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

type RecordedRow = (RemovedDevices & { place: null }) | NextRow;

interface Recorded {
  /** Devices that were removed; in the first result of the statement only. */
  readonly pruned: readonly RemovedDevices[];
  readonly next: DeliveryKey | null;
}

/** Records the outcomes of deliveries. Calls of the same moment share a statement. */
@Injectable()
export class DeliveryRecordRepository {
  readonly #logger = new Logger(DeliveryRecordRepository.name);
  readonly #sampler = new Sampler();
  readonly #failures;
  readonly #record = batchedWithRetry(
    (records: readonly DeliveryRecord[]) => this.#recordAll(records),
    (error, outcomes) => this.#report(error, outcomes),
  );
  readonly #recordDelivered = batchedWithRetry(
    (records: readonly DeliveryRecord[]) => this.#recordAllDelivered(records),
    (error, outcomes) => this.#report(error, outcomes),
  );

  constructor(
    private readonly database: Database,
    private readonly clientTokens: ClientTokens,
    private readonly subscriptions: WebPushRepository,
    @Inject(PUSH_OBSERVER) private readonly observer: PushObserver,
    metrics: Metrics,
  ) {
    this.#failures = metrics.counter({
      name: 'carillon_push_unrecorded_total',
      help: 'Attempts to write the outcome of a delivery to the ledger that failed.',
      labels: [],
    });
    this.#failures.add({}, 0);
  }

  /**
   * Records the state of a delivery, and removes a dead token. Resolves with the next delivery to the same device, if this one
   * has ended or holds it up no longer. Retries through a short outage of PostgreSQL, and rejects after a longer one: the
   * delivery is then attempted a second time.
   */
  async record(record: DeliveryRecord): Promise<DeliveryKey | null> {
    const { inPage } = record;
    if (inPage !== undefined && (await inPage.page.settle(inPage.place, record))) return null;
    const { state, reason, environment, subscription } = record;
    const isPlain =
      state === 'delivered' && reason === null && environment === null && subscription === null;
    const { pruned, next } = await (isPlain ? this.#recordDelivered(record) : this.#record(record));
    for (const { platform, devices } of pruned) this.observer.pruned(platform, devices);
    return next;
  }

  #report(error: unknown, outcomes: number): void {
    this.#failures.add({}, outcomes);
    const count = this.#sampler.take();
    if (count === null) return;
    this.#logger.warn(
      `${count} batches of outcomes were not written and are retried: ${errorText(error)}`,
    );
  }

  async #recordAllDelivered(keys: readonly DeliveryKey[]): Promise<Recorded[]> {
    const rows = await this.database.query<NextRow>('record_delivered', RECORD_DELIVERED, [
      keys.map((key) => key.notificationId),
      keys.map((key) => key.deviceId),
    ]);
    return nextOf(keys, rows).map((next) => ({ pruned: [], next }));
  }

  async #recordAll(records: readonly DeliveryRecord[]): Promise<Recorded[]> {
    const rows = await this.#write(records);
    const pruned = rows.filter((row) => row.place === null);
    const waiting = rows.filter((row) => row.place !== null);
    return nextOf(records, waiting).map((next, index) => ({
      pruned: index === 0 ? pruned : [],
      next,
    }));
  }

  /** Uses a transaction if client devices change too. */
  async #write(records: readonly DeliveryRecord[]): Promise<RecordedRow[]> {
    const dead = records.flatMap((record) => record.dead ?? []);
    const learnt = records.flatMap(({ deviceId, environment }) =>
      environment === null ? [] : { deviceId, environment },
    );
    const changes = records.flatMap(({ subscription }) => subscription ?? []);
    if (dead.length === 0 && learnt.length === 0 && changes.length === 0) {
      return this.#writeLedger(records, this.database);
    }
    return this.database.transaction(async (transaction) => {
      const rows = await this.#writeLedger(records, transaction);
      if (learnt.length > 0) await this.clientTokens.learn(learnt, transaction);
      const platforms =
        dead.length === 0 ? [] : await this.clientTokens.removeDead(transaction, dead);
      const removed = platforms.map((platform) => ({ platform, devices: 1, place: null }));
      const devices = await this.subscriptions.apply(transaction, changes);
      return [...rows, ...removed, { platform: 'web', devices, place: null }];
    });
  }

  #writeLedger(records: readonly DeliveryRecord[], session: Session): Promise<RecordedRow[]> {
    const now = systemClock();
    return session.query<RecordedRow>('record_deliveries', RECORD, [
      records.map((record) => record.notificationId),
      records.map((record) => record.deviceId),
      records.map((record) => record.state),
      records.map((record) => (record.isAttempt ? 1 : 0)),
      records.map((record) => record.reason),
      records.map(({ dueAt }) => secondsUntilDue(dueAt, now)),
      records.map((record) => record.dead?.platform ?? null),
      records.map((record) => record.dead?.token ?? null),
      records.map((record) => record.dead?.appId ?? null),
      records.map((record) => record.dead?.since ?? null),
      records.map(({ deadLetter }) => (deadLetter === null ? null : JSON.stringify(deadLetter))),
      records.map((record) => record.environment),
      records.map((record) => record.mayBeShown),
    ]);
  }
}

function nextOf(keys: readonly DeliveryKey[], rows: readonly NextRow[]): (DeliveryKey | null)[] {
  const nextIds = new Map(rows.map(({ place, notification_id: id }) => [place, id]));
  return keys.map(({ deviceId }, index) => {
    const notificationId = nextIds.get(index + 1);
    return notificationId === undefined ? null : { notificationId, deviceId };
  });
}
