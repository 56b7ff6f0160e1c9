import { Inject, Injectable } from '@nestjs/common';
import type { ApnsEnvironment, DeliveryState, Platform } from '#contracts';
import { Database } from '#database';
import { gatheredLists } from '../gather.js';
import { notificationContent, type NotificationContent } from '../notification-content.js';

/** DI token: how long what is being sent belongs to whoever sends it, in milliseconds. */
export const LEASE_MS = Symbol('LeaseMs');

/** After so many failed attempts a delivery no longer holds up what comes after it for the same device. */
const MOST_HOLDING_ATTEMPTS = 5;

/**
 * What waits behind another one has its time moved on no more often: a burst for one device would write each of
 * its deliveries once for each other. It is less than the sweeper's patience.
 */
const OVERDUE_BEHIND_MS = 1000;

/** One notification to one device, as the ledger names it. */
export interface DeliveryKey {
  readonly notificationId: string;
  readonly deviceId: number;
}

/** What is to be sent to a device. */
export interface DueDelivery extends DeliveryKey {
  readonly kind: 'due';
  readonly platform: Platform;
  /** Attempts made before. */
  readonly attempts: number;
  readonly token: string;
  readonly appId: string | null;
  readonly environment: ApnsEnvironment | null;
  readonly userId: number;
  /** Of the key that registered the device, which is the account's at this moment. */
  readonly keyGeneration: number;
  /** The same object for all devices that a statement read of a notification. */
  readonly realm: { readonly id: number; readonly name: string; readonly subdomain: string };
  readonly content: NotificationContent;
  /** UNIX milliseconds. */
  readonly acceptedAt: number;
  readonly traceParent: string | null;
  /** When this was read, by the clock of the database, which also dates registrations; UNIX milliseconds. */
  readonly readAt: number;
}

/** How a delivery stands at the moment before it is sent. */
export type Claim =
  | DueDelivery
  /** Somebody else sends it, it waits for its next attempt, or what was accepted before it is not sent. */
  | { readonly kind: 'not_yet'; readonly until: number; readonly behindForMs: number | null }
  /**
   * `revoked`: the account's key was replaced, the device removed, or the account or organisation
   * deactivated. `expired`: it has waited longer than it may.
   */
  | {
      readonly kind: 'revoked' | 'expired';
      readonly platform: Platform;
      readonly content: NotificationContent;
      readonly acceptedAt: number;
    }
  /** It has ended before. */
  | { readonly kind: 'ended'; readonly state: Exclude<DeliveryState, 'pending'> };

/** What all deliveries of a notification have in common; it comes with the first of them. */
interface Facts {
  readonly content: unknown;
  readonly acceptedAt: number;
  readonly traceParent: string | null;
  readonly readAt: number;
  readonly userId: number;
  readonly realm: { readonly id: number; readonly name: string; readonly subdomain: string };
}

interface ClaimRow {
  place: number;
  state: DeliveryState;
  is_leased: boolean;
  attempts: number;
  platform: Platform;
  facts: Facts | null;
  is_expired: boolean;
  is_addressable: boolean;
  /** Null when it is due already. */
  due_ms: number | null;
  behind_until_ms: number | null;
  token: string;
  app_id: string | null;
  environment: ApnsEnvironment | null;
  key_generation: number;
}

/**
 * SQL: that a delivery has not ended, for a statement that finds it by its key. In words that no index of what
 * is pending answers to: by statistics of a moment when nothing was, the planner takes such an index for empty,
 * and reads all of it for each row.
 */
export const STILL_PENDING = `delivery.state LIKE 'pending'`;

// Takes the lease of what can be sent now. What was accepted earlier for the same device goes before it,
// unless that may wait and this may not; the wait for one that has a reason to be tried later is as long as
// that, and moves the time of what waits, or it would be overdue meanwhile. Of two workers that ask for the
// same delivery the second waits for the first, and then finds its time moved on; of two that ask in the same
// statement one place gets it. All lock in the same order, so that no two wait for each other. Each delivery is
// looked up by its whole key (hence OFFSET), since by its notification it is one of thousands. LIMIT leaves out nothing, and
// makes the planner expect one row to update: else it reads a whole index of what was nearly empty when it looked.
const CLAIM = `
  WITH told AS MATERIALIZED (
    SELECT notification.id, notification.expires_at <= now() AS is_expired,
      account.is_active AND realm.deactivated_at IS NULL AS is_active, account.key_generation,
      jsonb_build_object(
        'content', notification.content, 'traceParent', notification.trace_parent,
        'acceptedAt', extract(epoch FROM notification.accepted_at) * 1000,
        'readAt', extract(epoch FROM now()) * 1000,
        'userId', notification.user_id,
        'realm', jsonb_build_object('id', realm.id, 'name', realm.name, 'subdomain', realm.subdomain)
      ) AS facts
    FROM (SELECT DISTINCT id FROM unnest($1::uuid[]) AS id) AS asked
    CROSS JOIN LATERAL (
      SELECT * FROM push_notifications WHERE id = asked.id OFFSET 0
    ) AS notification
    LEFT JOIN users account ON account.id = notification.user_id
    LEFT JOIN realms realm ON realm.id = account.realm_id
  ), found AS (
    SELECT asked.place::int, delivery.notification_id, delivery.device_id, delivery.state,
      delivery.attempts, delivery.platform, delivery.due_at,
      coalesce(told.is_active AND device.key_generation = told.key_generation, false)
        AS is_addressable,
      told.is_expired, device.token, device.app_id, device.environment, device.key_generation,
      (
        SELECT max(CASE WHEN earlier.reason IS NULL THEN now() ELSE earlier.due_at END)
        FROM push_deliveries earlier
        WHERE earlier.device_id = delivery.device_id AND earlier.state = 'pending'
          AND earlier.sequence < delivery.sequence AND earlier.attempts < $4
          AND (delivery.may_wait OR NOT earlier.may_wait)
      ) AS behind_until
    FROM unnest($1::uuid[], $2::int[]) WITH ORDINALITY AS asked (notification_id, device_id, place)
    CROSS JOIN LATERAL (
      SELECT * FROM push_deliveries
      WHERE notification_id = asked.notification_id AND device_id = asked.device_id
      OFFSET 0
    ) AS delivery
    JOIN told ON told.id = asked.notification_id
    LEFT JOIN push_devices device ON device.id = delivery.device_id
    ORDER BY asked.notification_id, asked.device_id
  ), moved AS (
    UPDATE push_deliveries delivery
    SET due_at = CASE WHEN found.behind_until IS NULL THEN now() + make_interval(secs => $3)
        ELSE greatest(found.behind_until, now()) END,
      reason = CASE WHEN found.behind_until IS NOT NULL THEN delivery.reason END
    FROM (SELECT * FROM found LIMIT cardinality($1::uuid[])) AS found
    WHERE delivery.notification_id = found.notification_id AND delivery.device_id = found.device_id
      AND ${STILL_PENDING} AND delivery.due_at <= now()
      AND found.is_addressable AND NOT found.is_expired
      AND (found.behind_until IS NULL OR delivery.due_at < now() - make_interval(secs => $5))
    RETURNING found.place, found.behind_until IS NULL AS is_leased
  )
  SELECT found.place, found.state, found.attempts, found.platform, found.is_expired,
    found.is_addressable, found.token, found.app_id, found.environment, found.key_generation,
    coalesce(moved.is_leased, false) AS is_leased,
    CASE WHEN found.place IN (SELECT min(place) FROM found GROUP BY notification_id)
      THEN told.facts END AS facts,
    CASE WHEN found.due_at > now()
      THEN extract(epoch FROM found.due_at)::float8 * 1000 END AS due_ms,
    extract(epoch FROM found.behind_until)::float8 * 1000 AS behind_until_ms
  FROM found
  JOIN told ON told.id = found.notification_id
  LEFT JOIN moved ON moved.place = found.place`;

/** The ledger, as the worker sees it before it sends. Calls of the same moment share a statement. */
@Injectable()
export class DeliveryRepository {
  /** Reads what is to be sent, as it is now, and takes the lease of what can be; in the order of the keys. */
  readonly claim = gatheredLists((keys: readonly DeliveryKey[]) => this.#claimAll(keys));

  constructor(
    private readonly database: Database,
    @Inject(LEASE_MS) private readonly leaseMs: number,
  ) {}

  async #claimAll(keys: readonly DeliveryKey[]): Promise<(readonly [DeliveryKey, Claim])[]> {
    const rows = await this.database.query<ClaimRow>('claim_deliveries', CLAIM, [
      keys.map((key) => key.notificationId),
      keys.map((key) => key.deviceId),
      this.leaseMs / 1000,
      MOST_HOLDING_ATTEMPTS,
      OVERDUE_BEHIND_MS / 1000,
    ]);
    const told = new Map<string, Told>();
    const byPlace = new Map<number, ClaimRow>();
    for (const row of rows) {
      byPlace.set(row.place, row);
      const id = keys[row.place - 1]?.notificationId;
      if (row.facts !== null && id !== undefined) told.set(id, toTold(row.facts));
    }
    return keys.map((key, index) => {
      const row = byPlace.get(index + 1);
      const about = told.get(key.notificationId);
      // Past the ledger's retention: long since expired.
      if (row === undefined || about === undefined)
        return [key, { kind: 'ended', state: 'expired' }];
      return [key, toClaim(key, row, about, this.leaseMs)];
    });
  }
}

/** The facts of a notification; without content when that is of a later release. */
interface Told extends Omit<Facts, 'content'> {
  readonly content: NotificationContent | undefined;
}

const toTold = ({ content, ...facts }: Facts): Told => ({
  ...facts,
  content: notificationContent.safeParse(content).data,
});

function toClaim(key: DeliveryKey, row: ClaimRow, told: Told, leaseMs: number): Claim {
  if (row.state !== 'pending') return { kind: 'ended', state: row.state };
  const { content, acceptedAt, readAt } = told;
  // What a later release has accepted waits for one of its workers.
  if (content === undefined) {
    return { kind: 'not_yet', until: readAt + leaseMs, behindForMs: null };
  }
  if (!row.is_addressable || row.is_expired) {
    const kind = row.is_addressable ? 'expired' : 'revoked';
    return { kind, platform: row.platform, content, acceptedAt };
  }
  if (!row.is_leased) return notYet(row, told, leaseMs);
  return {
    notificationId: key.notificationId,
    deviceId: key.deviceId,
    kind: 'due',
    platform: row.platform,
    attempts: row.attempts,
    token: row.token,
    appId: row.app_id,
    environment: row.environment,
    userId: told.userId,
    keyGeneration: row.key_generation,
    realm: told.realm,
    content,
    acceptedAt,
    traceParent: told.traceParent,
    readAt,
  };
}

function notYet(row: ClaimRow, { acceptedAt, readAt }: Told, leaseMs: number): Claim {
  if (row.behind_until_ms !== null) {
    const behindForMs = readAt - acceptedAt;
    return { kind: 'not_yet', until: row.behind_until_ms, behindForMs };
  }
  // It was due when this looked, and somebody else took it in between.
  return { kind: 'not_yet', until: row.due_ms ?? readAt + leaseMs, behindForMs: null };
}
