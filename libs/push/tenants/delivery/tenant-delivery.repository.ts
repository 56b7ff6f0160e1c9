import { Inject, Injectable, Logger, Optional } from '@nestjs/common';
import type { ApnsEnvironment, DeliveryState, PhonePlatform } from '#push/jobs';
import {
  batchedLists,
  batchedWithRetry,
  type Clock,
  errorText,
  Sampler,
  systemClock,
} from '#platform/core';
import { Database, type Session } from '#platform/database';
import { TenantDeviceRepository } from '../devices/tenant-device.repository.js';
import type { FcmTarget } from '#push/encryption';
import { MAX_BLOCKING_ATTEMPTS } from '#push/notifications';
import type { DeadToken } from '#push/tokens';
import { LEASE_MS, MIN_POSTPONE_INTERVAL_MS, secondsUntilDue } from '#push/delivery';

/** The state of a delivery in a claim. */
export interface TenantClaim {
  readonly id: number;
  readonly state: DeliveryState;
  readonly serverId: number;
  /** The network that the server registered from, where it is known. */
  readonly registeredFrom: string | null;
  /** Of the device, where it is known. */
  readonly realmId: number | null;
  readonly deviceId: number;
  readonly platform: PhonePlatform;
  readonly attempts: number;
  /** Whether this claim may send it. */
  readonly isLeased: boolean;
  readonly isExpired: boolean;
  /**
   * False for a removed device, a dead token, the device of a server or organisation that has ended, and what was accepted
   * before the stop of one of them.
   */
  readonly isAddressable: boolean;
  /**
   * When the earlier delivery that it waits for is due, in UNIX milliseconds; null if it waits for none. Like `dueAt`, by the
   * clock of this process, which may be ahead of that of the database.
   */
  readonly behindUntil: number | null;
  readonly sealed: Buffer | null;
  readonly token: string;
  readonly appId: string | null;
  readonly environment: ApnsEnvironment | null;
  readonly fcmTarget: FcmTarget | null;
  /** UNIX milliseconds. */
  readonly acceptedAt: number;
  readonly dueAt: number;
  /** The database's clock at the claim, which also dates registrations. */
  readonly databaseNow: number;
  /** When the claim began, by the monotonic clock of this process. */
  readonly claimStartedAt: number;
}

/** The new state of a delivery; a pending one is tried again at `dueAt`, by the clock of this process. */
export interface TenantRecord {
  readonly id: number;
  readonly state: DeliveryState;
  readonly isAttempt: boolean;
  readonly reason: string | null;
  readonly dueAt: Date | null;
  readonly dead: (DeadToken & { readonly serverId: number }) | null;
  readonly learnt: { readonly deviceId: number; readonly environment: ApnsEnvironment } | null;
}

// A stop refuses later notifications at their acceptance, but not tests, which are accepted and sent.
const isStopped = (table: 'server' | 'realm') => `
  coalesce(${table}.stopped_from <= now() AND delivery.accepted_at <= ${table}.stopped_from, false)`;

/** The reason of a delivery whose content was sealed with another secret. */
export const UNREADABLE = 'unreadable';

/** SQL: from the first `earlier` delivery to its device that a `delivery` waits for. */
export const FIRST_AHEAD = `
  FROM remote_deliveries earlier
  -- Pairs with the device, so that the planner takes the index of the device and not the one of all ids.
  WHERE earlier.state = 'pending' AND (earlier.device_id, earlier.id) > (delivery.device_id, 0)
    AND (earlier.device_id, earlier.id) < (delivery.device_id, delivery.id)
    -- A removal waits for all earlier ones, however often they failed: it may remove one of them. What no worker can read is not sent.
    AND (
      earlier.attempts < ${MAX_BLOCKING_ATTEMPTS}
      OR delivery.is_silent AND earlier.reason IS DISTINCT FROM '${UNREADABLE}'
    )
  ORDER BY earlier.device_id, earlier.id LIMIT 1`;

// Leases the deliveries that can be sent now, and reads the others.
const CLAIM = `
  WITH found AS (
    SELECT delivery.*, device.token, device.app_id, device.environment, device.realm_id,
      device.fcm_target, server.registered_from,
      delivery.expires_at <= now() AS is_expired,
      (
        device.id IS NOT NULL AND device.expired_at IS NULL AND server.deactivated_at IS NULL
        AND realm.locally_deleted_at IS NULL AND NOT ${isStopped('server')}
        AND NOT ${isStopped('realm')}
      ) AS is_addressable,
      (
        -- One with a reason waits for a retry; one without is being sent, or is about to be.
        SELECT greatest(CASE WHEN earlier.reason IS NOT NULL THEN earlier.due_at END, now())
        ${FIRST_AHEAD}
      ) AS behind_until
    FROM unnest($1::bigint[]) AS asked (id)
    CROSS JOIN LATERAL (
      -- LIMIT cuts nothing off: it makes the planner look up each row by its key.
      SELECT * FROM remote_deliveries WHERE id = asked.id LIMIT 1
    ) AS delivery
    LEFT JOIN remote_devices device ON device.id = delivery.device_id
    LEFT JOIN remote_servers server ON server.id = delivery.server_id
    LEFT JOIN remote_realms realm ON realm.id = device.realm_id
    -- All workers lock in the same order.
    ORDER BY delivery.id
  ), moved AS (
    UPDATE remote_deliveries delivery
    -- A delivery behind a retry gets the due time of that: it would be overdue meanwhile.
    SET due_at = coalesce(found.behind_until, now() + make_interval(secs => $2)),
      reason = CASE WHEN found.behind_until IS NOT NULL THEN delivery.reason END
    FROM (SELECT * FROM found LIMIT cardinality($1::bigint[])) AS found
    WHERE delivery.id = found.id AND delivery.state LIKE 'pending'
      -- Rounded as stored times are, up to half a millisecond ahead: a delivery that was accepted just now is due.
      AND delivery.due_at <= now()::timestamptz(3)
      AND found.is_addressable AND NOT found.is_expired
      AND (
        found.behind_until IS NULL
        OR greatest(found.behind_until - now(), now() - delivery.due_at) > make_interval(secs => $3)
      )
    RETURNING delivery.id, found.behind_until IS NULL AS is_leased
  )
  SELECT found.id, found.state, found.server_id AS "serverId", found.realm_id AS "realmId",
    found.registered_from AS "registeredFrom",
    found.device_id AS "deviceId", found.platform, found.attempts,
    coalesce(moved.is_leased, false) AS "isLeased", found.is_expired AS "isExpired",
    found.is_addressable AS "isAddressable",
    extract(epoch FROM found.behind_until)::float8 * 1000 AS "behindUntil",
    found.token, found.app_id AS "appId", found.environment, found.fcm_target AS "fcmTarget",
    CASE WHEN moved.is_leased THEN found.sealed END AS sealed,
    extract(epoch FROM found.accepted_at)::float8 * 1000 AS "acceptedAt",
    extract(epoch FROM found.due_at)::float8 * 1000 AS "dueAt",
    extract(epoch FROM now())::float8 * 1000 AS "databaseNow"
  FROM found LEFT JOIN moved ON moved.id = found.id`;

/** SQL: behind the id of each delivery. */
const LAST_ID = `bigint '9223372036854775807'`;

// A delivery that has ended stays as it is, and loses its content. Returned are those that others wait for no longer, with the
// first that waits for the same device, but not one that waits for a retry of its own: it may hold up no others.
const RECORD = `
  WITH changed AS (
    UPDATE remote_deliveries delivery
    SET state = made.state, attempts = delivery.attempts + made.attempts, reason = made.reason,
      due_at = coalesce(now() + make_interval(secs => made.due_seconds), delivery.due_at),
      sealed = CASE WHEN made.state = 'pending' THEN delivery.sealed END
    FROM (
      SELECT * FROM unnest($1::bigint[], $2::text[], $3::int[], $4::text[], $5::float8[])
        AS made (id, state, attempts, reason, due_seconds)
      ORDER BY id LIMIT cardinality($1::bigint[])
    ) AS made
    WHERE delivery.id = made.id AND delivery.state LIKE 'pending'
    RETURNING delivery.id, delivery.device_id, delivery.state, delivery.attempts
  )
  SELECT changed.id, next.id AS "nextId" FROM changed
  CROSS JOIN LATERAL (
    SELECT later.id FROM remote_deliveries later
    -- Pairs with the device: see FIRST_AHEAD. Due times are rounded, up to half a millisecond ahead.
    WHERE later.state = 'pending' AND (later.device_id, later.id) > (changed.device_id, changed.id)
      AND (later.device_id, later.id) <= (changed.device_id, ${LAST_ID}) AND later.due_at <= now()::timestamptz(3)
    ORDER BY later.device_id, later.id LIMIT 1
  ) AS next
  WHERE changed.state <> 'pending' OR changed.attempts = ${MAX_BLOCKING_ATTEMPTS}`;

/** A delivery that others wait for no longer, and the next one to its device. */
interface EndedRow {
  readonly id: number;
  readonly nextId: number;
}

/** Claims the deliveries of servers, and records their outcomes. */
@Injectable()
export class TenantDeliveryRepository {
  /** Reads deliveries, and leases those that can be sent now; null for one that was removed. */
  readonly claim = batchedLists((ids: readonly number[]) => this.#claimAll(ids));
  readonly #logger = new Logger(TenantDeliveryRepository.name);
  readonly #failures = new Sampler();
  /**
   * Records the outcome of a delivery. Resolves with the next delivery to the same device, if that waits for this one no
   * longer. Calls of the same moment share a statement. Rejects after a longer outage of PostgreSQL: the delivery is then
   * attempted a second time.
   */
  readonly record = batchedWithRetry(
    (records: readonly TenantRecord[]) => this.#recordAll(records),
    (error) => this.#report(error),
  );

  constructor(
    private readonly database: Database,
    private readonly devices: TenantDeviceRepository,
    @Inject(LEASE_MS) private readonly leaseMs: number,
    @Optional() private readonly clock: Clock = systemClock,
  ) {}

  #report(error: unknown): void {
    const count = this.#failures.take();
    if (count === null) return;
    this.#logger.warn(
      `${count} batches of outcomes were not written and are retried: ${errorText(error)}`,
    );
  }

  async #claimAll(ids: readonly number[]): Promise<(TenantClaim | null)[]> {
    const claimStartedAt = performance.now();
    const rows = await this.database.query<Omit<TenantClaim, 'claimStartedAt'>>(
      'claim_remote_deliveries',
      CLAIM,
      [ids, this.leaseMs / 1000, MIN_POSTPONE_INTERVAL_MS / 1000],
    );
    const now = this.clock();
    const byId = new Map(rows.map((row) => [row.id, byClock({ claimStartedAt, ...row }, now)]));
    const leased = new Set<number>();
    return ids.map((id) => {
      const row = byId.get(id) ?? null;
      if (row === null || !row.isLeased) return row;
      // Two jobs with the same delivery may share the statement: one of them may send it.
      if (leased.has(id)) return this.#unleased(row);
      leased.add(id);
      return row;
    });
  }

  #unleased(row: TenantClaim): TenantClaim {
    return { ...row, isLeased: false, sealed: null, dueAt: this.clock() + this.leaseMs };
  }

  async #recordAll(records: readonly TenantRecord[]): Promise<(number | null)[]> {
    const rows = await this.#write(records);
    const nextIds = new Map(rows.map(({ id, nextId }) => [id, nextId]));
    return records.map(({ id }) => nextIds.get(id) ?? null);
  }

  /** In a transaction where devices change as well. */
  async #write(records: readonly TenantRecord[]): Promise<EndedRow[]> {
    const dead = records.flatMap((record) => record.dead ?? []);
    const learnt = records.flatMap((record) => record.learnt ?? []);
    if (dead.length === 0 && learnt.length === 0) {
      return this.#writeDeliveries(records, this.database);
    }
    return this.database.transaction(async (transaction) => {
      const rows = await this.#writeDeliveries(records, transaction);
      if (dead.length > 0) await this.devices.removeDead(dead, transaction);
      if (learnt.length > 0) await this.devices.learn(learnt, transaction);
      return rows;
    });
  }

  #writeDeliveries(records: readonly TenantRecord[], session: Session): Promise<EndedRow[]> {
    const now = this.clock();
    return session.query<EndedRow>('record_remote_deliveries', RECORD, [
      records.map(({ id }) => id),
      records.map(({ state }) => state),
      records.map(({ isAttempt }) => (isAttempt ? 1 : 0)),
      records.map(({ reason }) => reason),
      records.map(({ dueAt }) => secondsUntilDue(dueAt, now)),
    ]);
  }
}

function byClock(claim: TenantClaim, now: number): TenantClaim {
  const { behindUntil, dueAt, databaseNow } = claim;
  return {
    ...claim,
    behindUntil: behindUntil === null ? null : now + (behindUntil - databaseNow),
    dueAt: now + (dueAt - databaseNow),
  };
}
