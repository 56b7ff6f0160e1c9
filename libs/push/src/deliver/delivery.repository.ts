import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { ApnsEnvironment, DeliveryState, Platform } from '#contracts';
import { Database } from '#database';
import { gatheredLists } from '../gather.js';
import { notificationContent, type NotificationContent } from '../notification-content.js';

/** DI token: how long what is being sent belongs to whoever sends it, in milliseconds. */
export const LEASE_MS = Symbol('LeaseMs');

/** After so many failed attempts a delivery no longer holds up what comes after it for the same device. */
const MOST_HOLDING_ATTEMPTS = 5;

/** Contents that are kept in mind once they have been read. */
const MOST_CONTENTS = 1000;

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
  | { readonly kind: 'not_yet'; readonly until: number; readonly isBehind: boolean }
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

interface ClaimRow {
  place: number;
  state: DeliveryState;
  is_leased: boolean;
  attempts: number;
  platform: Platform;
  content: string;
  accepted_ms: number;
  trace_parent: string | null;
  is_expired: boolean;
  is_addressable: boolean;
  due_ms: number;
  behind_until_ms: number | null;
  token: string;
  app_id: string | null;
  environment: ApnsEnvironment | null;
  user_id: number;
  key_generation: number;
  realm_id: number;
  realm_name: string;
  subdomain: string;
  read_ms: number;
}

// Takes the lease of what can be sent now. What was accepted earlier for the same device goes before it,
// unless that may wait and this may not; the wait for one that has a reason to be tried later is as long as
// that. Of two workers that ask for the same delivery the second waits for
// the first, and then finds its time moved on; of two that ask in the same statement one place gets it.
// All lock in the same order, so that no two wait for each other.
const CLAIM = `
  WITH found AS (
    SELECT asked.place::int, delivery.*,
      coalesce(
        device.key_generation = account.key_generation
          AND account.is_active AND realm.deactivated_at IS NULL,
        false
      ) AS is_addressable,
      notification.expires_at <= now() AS is_expired,
      notification.content, notification.accepted_at, notification.trace_parent,
      notification.user_id,
      device.token, device.app_id, device.environment, device.key_generation,
      realm.id AS realm_id, realm.name AS realm_name, realm.subdomain,
      (
        SELECT max(CASE WHEN earlier.reason IS NULL THEN now() ELSE earlier.due_at END)
        FROM push_deliveries earlier
        WHERE earlier.device_id = delivery.device_id AND earlier.state = 'pending'
          AND earlier.sequence < delivery.sequence AND earlier.attempts < $4
          AND (delivery.may_wait OR NOT earlier.may_wait)
      ) AS behind_until
    FROM unnest($1::uuid[], $2::int[]) WITH ORDINALITY AS asked (notification_id, device_id, place)
    JOIN push_deliveries delivery
      ON delivery.notification_id = asked.notification_id AND delivery.device_id = asked.device_id
    JOIN push_notifications notification ON notification.id = delivery.notification_id
    LEFT JOIN push_devices device ON device.id = delivery.device_id
    LEFT JOIN users account ON account.id = notification.user_id
    LEFT JOIN realms realm ON realm.id = account.realm_id
    ORDER BY asked.notification_id, asked.device_id
  ), leased AS (
    UPDATE push_deliveries delivery
    SET due_at = now() + make_interval(secs => $3), reason = NULL
    FROM found
    WHERE delivery.notification_id = found.notification_id AND delivery.device_id = found.device_id
      AND delivery.state = 'pending' AND delivery.due_at <= now()
      AND found.is_addressable AND NOT found.is_expired AND found.behind_until IS NULL
    RETURNING found.place
  )
  SELECT found.place, found.state, found.attempts, found.platform, found.content::text,
    found.trace_parent, found.is_expired, found.is_addressable, found.token, found.app_id,
    found.environment, found.user_id, found.key_generation, found.realm_id, found.realm_name,
    found.subdomain, leased.place IS NOT NULL AS is_leased,
    extract(epoch FROM found.accepted_at)::float8 * 1000 AS accepted_ms,
    extract(epoch FROM found.due_at)::float8 * 1000 AS due_ms,
    extract(epoch FROM found.behind_until)::float8 * 1000 AS behind_until_ms,
    extract(epoch FROM now())::float8 * 1000 AS read_ms
  FROM found
  LEFT JOIN leased ON leased.place = found.place`;

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
    ]);
    const byPlace = new Map(rows.map((row) => [row.place, row]));
    return keys.map((key, index) => [key, toClaim(key, byPlace.get(index + 1), this.leaseMs)]);
  }
}

function toClaim(key: DeliveryKey, row: ClaimRow | undefined, leaseMs: number): Claim {
  // Past the ledger's retention: long since expired.
  if (row === undefined) return { kind: 'ended', state: 'expired' };
  if (row.state !== 'pending') return { kind: 'ended', state: row.state };
  const content = contentOf(row.content);
  // What a later release has accepted waits for one of its workers.
  if (content === null) return { kind: 'not_yet', until: row.read_ms + leaseMs, isBehind: false };
  const acceptedAt = row.accepted_ms;
  if (!row.is_addressable || row.is_expired) {
    const kind = row.is_addressable ? 'expired' : 'revoked';
    return { kind, platform: row.platform, content, acceptedAt };
  }
  if (!row.is_leased) return notYet(row, leaseMs);
  return {
    ...key,
    kind: 'due',
    platform: row.platform,
    attempts: row.attempts,
    token: row.token,
    appId: row.app_id,
    environment: row.environment,
    userId: row.user_id,
    keyGeneration: row.key_generation,
    realm: { id: row.realm_id, name: row.realm_name, subdomain: row.subdomain },
    content,
    acceptedAt,
    traceParent: row.trace_parent,
    readAt: row.read_ms,
  };
}

function notYet(row: ClaimRow, leaseMs: number): Claim {
  if (row.behind_until_ms !== null) {
    return { kind: 'not_yet', until: row.behind_until_ms, isBehind: true };
  }
  // It was due when this looked, and somebody else took it in between.
  const until = row.due_ms > row.read_ms ? row.due_ms : row.read_ms + leaseMs;
  return { kind: 'not_yet', until, isBehind: false };
}

/** The deliveries of a notification, and the tests of a second, have the same text. */
const contents = new LRUCache<string, NotificationContent>({ max: MOST_CONTENTS });

function contentOf(text: string): NotificationContent | null {
  const known = contents.get(text);
  if (known !== undefined) return known;
  const { data: content } = notificationContent.safeParse(JSON.parse(text));
  if (content === undefined) return null;
  contents.set(text, content);
  return content;
}
