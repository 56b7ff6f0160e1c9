import { Inject, Injectable, Optional } from '@nestjs/common';
import type { ApnsEnvironment, DeliveryState, Platform } from '#push/jobs';
import { batchedLists, type Clock, systemClock } from '#platform/core';
import { Database } from '#platform/database';
import type { FcmTarget } from '#push/encryption';
import {
  accountOf,
  accountsOf,
  isOpenOf,
  type DeliveryKey,
  MAX_BLOCKING_ATTEMPTS,
  MAY_BE_SHOWN,
  notificationContent,
  type NotificationContent,
} from '#push/notifications';
import { PUSH_SERVICE, type PushService } from '#push/tokens';
import { addressColumns, addressJoins, type AddressRow } from './address.sql.js';
import { IS_ON_ITS_WAY, KEEPS_WAITING } from './delivery.sql.js';
import type { PagePlace } from './pages/open-page.js';
import { type ClaimedSubscription, subscriptionOf } from './claimed-subscription.js';
import {
  behindPageForMs,
  type Claimed,
  LEASE_MS,
  MIN_POSTPONE_INTERVAL_MS,
} from './delivery-lease.js';

/** The push key of a client device. */
export interface Encryption {
  readonly keyId: number;
  /** Sealed. */
  readonly key: Buffer;
}

/** A claimed delivery that is to be sent now. */
export interface DueDelivery extends DeliveryKey {
  readonly kind: 'due';
  readonly platform: Platform;
  /** Attempts made before. */
  readonly attempts: number;
  /** Whether the phone may show it after those. */
  readonly mayBeShown: boolean;
  /** The deliveries to a device have the order of these numbers. */
  readonly sequence: number;
  readonly token: string;
  readonly appId: string | null;
  readonly environment: ApnsEnvironment | null;
  readonly fcmTarget: FcmTarget | null;
  /** Whether the icon of its app shows the number of unread messages. */
  readonly wantsBadge: boolean;
  /** How the content is encrypted; null for a device that gets it in plain text. */
  readonly encryption: Encryption | null;
  /** Null for phones; the token is then the endpoint. */
  readonly subscription: ClaimedSubscription | null;
  readonly userId: number;
  /** Of the key that registered the device, which is the account's current key. */
  readonly keyGeneration: number;
  /** The same object for all devices of a notification in one statement. */
  readonly realm: { readonly id: number; readonly name: string; readonly subdomain: string };
  readonly content: NotificationContent;
  /** UNIX milliseconds. */
  readonly acceptedAt: number;
  readonly traceParent: string | null;
  /** The database's clock at the claim, which also dates registrations; UNIX milliseconds. */
  readonly databaseNow: number;
  /** When the claim began, by the monotonic clock of this process. */
  readonly claimStartedAt: number;
  /** Its place in a page; left out for a delivery with a row of its own. */
  readonly inPage?: PagePlace | undefined;
}

/** The result of claiming a delivery. */
export type Claim =
  | DueDelivery
  /** Leased by another worker, not yet due, or behind an earlier delivery to the same device. */
  | {
      readonly kind: 'not_yet';
      /** By the clock of this process, which may be ahead of that of the database; UNIX milliseconds. */
      readonly until: number;
      /** How long it has waited behind the earlier delivery; null if it waits for none. */
      readonly behindForMs: number | null;
      /** Gives a row of its own to a delivery of a page, which cannot wait there; left out for others. */
      readonly release?: () => Promise<void>;
    }
  /**
   * `revoked`: the account's key was replaced, the device removed, the account or organisation deactivated, or the
   * organisation requires encryption and the device gets plain text. `expired`: its time to live is over.
   */
  | {
      readonly kind: 'revoked' | 'expired';
      readonly platform: Platform;
      readonly mayBeShown: boolean;
      readonly content: NotificationContent;
      readonly acceptedAt: number;
      readonly inPage?: PagePlace | undefined;
    }
  /** Only a worker of a later release, which has written its content, can send it. */
  | {
      readonly kind: 'unreadable';
      /** Its end, if its time is over or it has nobody to go to. */
      readonly state: 'pending' | 'revoked' | 'expired';
      readonly attempts: number;
      readonly mayBeShown: boolean;
      /** See not_yet. */
      readonly until: number;
    }
  /** It has ended before. */
  | { readonly kind: 'ended'; readonly state: Exclude<DeliveryState, 'pending'> };

/** The columns that all deliveries of a notification share; returned with the first of them only. */
interface NotificationRow {
  readonly content: unknown;
  readonly acceptedAt: number;
  readonly traceParent: string | null;
  readonly databaseNow: number;
  readonly userId: number;
  readonly realm: { readonly id: number; readonly name: string; readonly subdomain: string };
}

interface ClaimRow extends AddressRow {
  place: number;
  state: DeliveryState;
  is_leased: boolean;
  attempts: number;
  may_be_shown: boolean;
  sequence: number;
  platform: Platform;
  facts: NotificationRow | null;
  is_expired: boolean;
  /** Null when it is due already. */
  due_ms: number | null;
  /** Whether it waits for no earlier delivery with a row of its own. */
  is_first: boolean;
  behind_until_ms: number | null;
}

/**
 * SQL: a delivery has not ended, for statements that find it by its key. `LIKE` keeps the planner off the partial
 * index: with stale statistics it believes that index is empty and scans it for each row.
 */
export const STILL_PENDING = `delivery.state LIKE 'pending'`;

// Leases the deliveries that can be sent now, and reads the others. A leased one counts as shown until its outcome is
// recorded: the worker may die.
const CLAIM = `
  WITH pages AS MATERIALIZED (
    -- In the order of an index: with old statistics the planner would read the whole table, and expect an open page soon.
    SELECT EXISTS (
      SELECT FROM (SELECT FROM push_pages WHERE is_open ORDER BY sequence LIMIT 1) AS first
    ) AS are_there
  ), notified AS MATERIALIZED (
    SELECT notification.id, notification.user_id, account.realm_id, notification.expires_at,
      account.is_active AND realm.deactivated_at IS NULL AS is_active, account.key_generation,
      realm.requires_encrypted_push AS is_encrypted_only,
      jsonb_build_object(
        'content', notification.content, 'traceParent', notification.trace_parent,
        'acceptedAt', extract(epoch FROM notification.accepted_at) * 1000,
        'databaseNow', extract(epoch FROM now()) * 1000,
        'userId', notification.user_id,
        'realm', jsonb_build_object('id', realm.id, 'name', realm.name, 'subdomain', realm.subdomain)
      ) AS facts
    FROM (SELECT DISTINCT id FROM unnest($1::uuid[]) AS id) AS asked
    CROSS JOIN LATERAL (
      -- LIMIT cuts nothing off: the planner expects few rows, and looks up each by its key.
      SELECT * FROM push_notifications WHERE id = asked.id LIMIT 1
    ) AS notification
    LEFT JOIN users account ON account.id = notification.user_id
    LEFT JOIN realms realm ON realm.id = account.realm_id
  ), found AS (
    SELECT asked.place::int, delivery.notification_id, delivery.device_id, delivery.state,
      delivery.attempts, delivery.sequence, delivery.platform, delivery.due_at,
      ${MAY_BE_SHOWN} AS may_be_shown,
      ${addressColumns({
        deviceId: 'delivery.device_id',
        platform: 'delivery.platform',
        isActive: 'notified.is_active',
        keyGeneration: 'notified.key_generation',
        isEncryptedOnly: 'notified.is_encrypted_only',
        relays: '$6',
        isConfirmation: `notified.facts -> 'content' ->> 'kind' = 'confirm'`,
        expiresAt: 'notified.expires_at',
      })},
      notified.expires_at <= now() AS is_expired,
      ahead.until IS NULL AS is_first,
      coalesce(ahead.until, CASE WHEN (SELECT are_there FROM pages) THEN (
        -- An earlier page is closed soon.
        SELECT now() FROM push_pages page
        WHERE ${isOpenOf('page')} AND ${accountsOf('page')} && ${accountOf('notified.user_id', 'notified.realm_id')}
          AND page.sequence < delivery.sequence AND page.device_ids @> ARRAY[delivery.device_id]
        LIMIT 1
      ) END) AS behind_until
    FROM unnest($1::uuid[], $2::int[]) WITH ORDINALITY AS asked (notification_id, device_id, place)
    CROSS JOIN LATERAL (
      -- By the whole key: a notification has thousands of deliveries.
      SELECT * FROM push_deliveries
      WHERE notification_id = asked.notification_id AND device_id = asked.device_id
      LIMIT 1
    ) AS delivery
    JOIN notified ON notified.id = asked.notification_id
    ${addressJoins('delivery.device_id', 'delivery.platform')}
    LEFT JOIN LATERAL (
      -- Only the first is read: thousands may wait for one device. One without a reason is being sent.
      SELECT CASE WHEN earlier.reason IS NULL THEN now() ELSE earlier.due_at END AS until
      FROM push_deliveries earlier
      WHERE earlier.device_id = delivery.device_id AND earlier.state = 'pending'
        AND earlier.sequence < delivery.sequence AND (
          ${KEEPS_WAITING}
          -- A removal does not pass a push that is on its way.
          OR delivery.may_wait AND ${IS_ON_ITS_WAY}
          -- A message is notified again once it has been removed: the phone would show it twice.
          OR earlier.may_wait AND (earlier.attempts < $4 OR ${IS_ON_ITS_WAY}) AND (
            SELECT content -> 'messageIds' FROM push_notifications
            WHERE id = earlier.notification_id LIMIT 1
          ) @> (notified.facts -> 'content' -> 'messageId')
        )
      ORDER BY earlier.sequence LIMIT 1
    ) AS ahead ON true
    -- All workers lock in the same order, so there are no deadlocks.
    ORDER BY asked.notification_id, asked.device_id
  ), moved AS (
    UPDATE push_deliveries delivery
    -- A delivery behind a retry gets the due time of that: it would be overdue meanwhile.
    SET due_at = CASE WHEN found.behind_until IS NULL THEN now() + make_interval(secs => $3)
        ELSE greatest(found.behind_until, now()) END,
      reason = CASE WHEN found.behind_until IS NOT NULL THEN delivery.reason END,
      may_be_shown = found.behind_until IS NULL OR found.may_be_shown
    -- Without LIMIT, old statistics make the planner scan whole indexes.
    FROM (SELECT * FROM found LIMIT cardinality($1::uuid[])) AS found
    WHERE delivery.notification_id = found.notification_id AND delivery.device_id = found.device_id
      -- Another worker with the same delivery waits for the row lock, and then finds the due time moved.
      AND ${STILL_PENDING} AND delivery.due_at <= now()::timestamptz(3)
      AND found.is_addressable AND NOT found.is_expired
      AND (
        found.behind_until IS NULL
        OR greatest(found.behind_until - now(), now() - delivery.due_at) > make_interval(secs => $5)
      )
    RETURNING found.place, found.behind_until IS NULL AS is_leased
  )
  SELECT found.place, found.state, found.attempts, found.may_be_shown, found.sequence, found.platform,
    found.is_expired, found.is_addressable, found.token, found.app_id, found.environment, found.key_generation,
    found.fcm_target, found.wants_badge, found.push_key_id, found.push_key_sealed, found.subscription,
    coalesce(moved.is_leased, false) AS is_leased,
    CASE WHEN found.place IN (SELECT min(place) FROM found GROUP BY notification_id)
      THEN notified.facts END AS facts,
    CASE WHEN found.due_at > now()
      THEN extract(epoch FROM found.due_at)::float8 * 1000 END AS due_ms, found.is_first,
    extract(epoch FROM found.behind_until)::float8 * 1000 AS behind_until_ms
  FROM found
  JOIN notified ON notified.id = found.notification_id
  LEFT JOIN moved ON moved.place = found.place`;

/** Claims deliveries for sending. Calls of the same moment share a statement. */
@Injectable()
export class DeliveryClaimRepository {
  /** Reads deliveries in the order of the keys, and leases those that can be sent now. */
  readonly claim = batchedLists((keys: readonly DeliveryKey[]) => this.#claimAll(keys));

  constructor(
    private readonly database: Database,
    @Inject(LEASE_MS) private readonly leaseMs: number,
    @Inject(PUSH_SERVICE) private readonly service: Pick<PushService, 'hasTokens'>,
    @Optional() private readonly clock: Clock = systemClock,
  ) {}

  async #claimAll(keys: readonly DeliveryKey[]): Promise<Claimed<DeliveryKey, Claim>[]> {
    const claimStartedAt = performance.now();
    const rows = await this.database.query<ClaimRow>('claim_deliveries', CLAIM, [
      keys.map((key) => key.notificationId),
      keys.map((key) => key.deviceId),
      this.leaseMs / 1000,
      MAX_BLOCKING_ATTEMPTS,
      MIN_POSTPONE_INTERVAL_MS / 1000,
      !this.service.hasTokens,
    ]);
    const lease = { claimStartedAt, leaseMs: this.leaseMs, now: this.clock() };
    const notifications = new Map<string, Notification>();
    const byPlace = new Map<number, ClaimRow>();
    for (const row of rows) {
      byPlace.set(row.place, row);
      const id = keys[row.place - 1]?.notificationId;
      if (row.facts !== null && id !== undefined) notifications.set(id, toNotification(row.facts));
    }
    return keys.map((key, index) => {
      const row = byPlace.get(index + 1);
      const notification = notifications.get(key.notificationId);
      // The ledger's retention has removed it, so it had expired.
      if (row === undefined || notification === undefined)
        return { key, claim: { kind: 'ended', state: 'expired' } };
      return { key, claim: toClaim(key, row, notification, lease) };
    });
  }
}

/** A parsed NotificationRow; without content when a later release wrote it. */
interface Notification extends Omit<NotificationRow, 'content'> {
  readonly content: NotificationContent | undefined;
}

interface Lease {
  readonly claimStartedAt: number;
  readonly leaseMs: number;
  /** By the clock of this process. */
  readonly now: number;
}

const toNotification = (row: NotificationRow): Notification => ({
  ...row,
  content: notificationContent.safeParse(row.content).data,
});

function toClaim(key: DeliveryKey, row: ClaimRow, notification: Notification, lease: Lease): Claim {
  if (row.state !== 'pending') return { kind: 'ended', state: row.state };
  const { content, acceptedAt, databaseNow } = notification;
  const { platform, attempts, may_be_shown: mayBeShown } = row;
  const end = row.is_addressable ? (row.is_expired ? 'expired' : null) : 'revoked';
  if (end === null && !row.is_leased) return notYet(row, notification, lease);
  if (content === undefined) {
    const until = lease.now + lease.leaseMs;
    return { kind: 'unreadable', state: end ?? 'pending', attempts, mayBeShown, until };
  }
  if (end !== null) return { kind: end, platform, mayBeShown, content, acceptedAt };
  return {
    notificationId: key.notificationId,
    deviceId: key.deviceId,
    kind: 'due',
    platform,
    attempts,
    mayBeShown,
    sequence: row.sequence,
    token: row.token,
    appId: row.app_id,
    environment: row.environment,
    fcmTarget: row.fcm_target,
    wantsBadge: row.wants_badge,
    encryption: encryptionOf(row),
    subscription: subscriptionOf(row.subscription),
    userId: notification.userId,
    keyGeneration: row.key_generation,
    realm: notification.realm,
    content,
    acceptedAt,
    traceParent: notification.traceParent,
    databaseNow,
    claimStartedAt: lease.claimStartedAt,
  };
}

const encryptionOf = ({ push_key_id: keyId, push_key_sealed: key }: ClaimRow): Encryption | null =>
  keyId === null || key === null ? null : { keyId, key };

function notYet(row: ClaimRow, { acceptedAt, databaseNow }: Notification, lease: Lease): Claim {
  // Another worker has claimed it in between if it is neither behind another one nor due later.
  const until = row.behind_until_ms ?? row.due_ms ?? databaseNow + lease.leaseMs;
  const waitedMs = databaseNow - acceptedAt;
  const behindForMs =
    row.behind_until_ms === null ? null : row.is_first ? behindPageForMs(waitedMs) : waitedMs;
  return { kind: 'not_yet', until: lease.now + (until - databaseNow), behindForMs };
}
