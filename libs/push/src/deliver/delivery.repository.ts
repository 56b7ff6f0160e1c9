import { Injectable } from '@nestjs/common';
import type { DeliveryState, Platform } from '#contracts';
import { Database } from '#database';
import { gathered } from '../gather.js';
import { notificationContent, type NotificationContent } from '../notification-content.js';

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
  readonly userId: number;
  /** Of the key that registered the device, which is the account's at this moment. */
  readonly keyGeneration: number;
  readonly realm: { readonly id: number; readonly name: string; readonly subdomain: string };
  readonly content: NotificationContent;
  readonly expiresAt: number;
  /** When this was read, by the clock of the database, which also dates registrations. */
  readonly readAt: Date;
}

/** How a delivery stands at the moment before it is sent. */
export type Claim =
  | DueDelivery
  /** The account's key was replaced, the device removed, or the account or organisation deactivated. */
  | { readonly kind: 'revoked' }
  | { readonly kind: 'expired' }
  /** It has ended before. */
  | { readonly kind: 'ended'; readonly state: DeliveryState };

/** What became of a delivery; a pending one is tried again. */
export interface DeliveryRecord extends DeliveryKey {
  readonly state: DeliveryState;
  /** Whether the provider was asked. */
  readonly isAttempt: boolean;
  readonly reason: string | null;
  /** A token to remove from every account, unless it was registered again since. */
  readonly dead: DeadToken | null;
}

export interface DeadToken {
  readonly platform: Platform;
  readonly token: string;
  /** Only devices of this app; of all when null. */
  readonly appId: string | null;
  readonly since: Date;
}

interface ClaimRow {
  place: number;
  state: DeliveryState;
  attempts: number;
  platform: Platform;
  content: unknown;
  expires_at: Date;
  is_expired: boolean;
  is_addressable: boolean;
  token: string;
  app_id: string | null;
  user_id: number;
  key_generation: number;
  realm_id: number;
  realm_name: string;
  subdomain: string;
  read_at: Date;
}

const CLAIM = `
  SELECT asked.place::int, delivery.state, delivery.attempts, delivery.platform,
    notification.content, notification.expires_at, notification.expires_at <= now() AS is_expired,
    coalesce(
      device.key_generation = account.key_generation
        AND account.is_active AND realm.deactivated_at IS NULL,
      false
    ) AS is_addressable,
    device.token, device.app_id, device.key_generation, notification.user_id,
    realm.id AS realm_id, realm.name AS realm_name, realm.subdomain, now() AS read_at
  FROM unnest($1::uuid[], $2::int[]) WITH ORDINALITY AS asked (notification_id, device_id, place)
  JOIN push_deliveries delivery
    ON delivery.notification_id = asked.notification_id AND delivery.device_id = asked.device_id
  JOIN push_notifications notification ON notification.id = delivery.notification_id
  LEFT JOIN push_devices device ON device.id = delivery.device_id
  LEFT JOIN users account ON account.id = notification.user_id
  LEFT JOIN realms realm ON realm.id = account.realm_id`;

const RECORD = `
  WITH made AS (
    SELECT * FROM unnest(
      $1::uuid[], $2::int[], $3::text[], $4::int[], $5::text[],
      $6::text[], $7::text[], $8::text[], $9::timestamptz[]
    ) AS made (
      notification_id, device_id, state, attempts, reason,
      dead_platform, dead_token, dead_app_id, dead_since
    )
  ), pruned AS (
    DELETE FROM push_devices device USING made
    WHERE device.platform = made.dead_platform
      AND device.token_digest = sha256(convert_to(made.dead_token, 'UTF8'))
      AND (made.dead_app_id IS NULL OR device.app_id = made.dead_app_id)
      AND device.registered_at <= made.dead_since
  )
  UPDATE push_deliveries delivery
  SET state = made.state, attempts = delivery.attempts + made.attempts, reason = made.reason,
    updated_at = now()
  FROM made
  WHERE delivery.notification_id = made.notification_id AND delivery.device_id = made.device_id
    AND delivery.state = 'pending'`;

/** The ledger, as the worker sees it. Calls of the same moment share a statement. */
@Injectable()
export class DeliveryRepository {
  /** Reads what is to be sent, as it is now. */
  readonly claim = gathered((keys: readonly DeliveryKey[]) => this.#claimAll(keys));

  /** Writes down what became of it, and removes the token that turned out dead. */
  readonly record = gathered((records: readonly DeliveryRecord[]) => this.#recordAll(records));

  constructor(private readonly database: Database) {}

  async #claimAll(keys: readonly DeliveryKey[]): Promise<Claim[]> {
    const rows = await this.database.query<ClaimRow>('claim_deliveries', CLAIM, [
      keys.map((key) => key.notificationId),
      keys.map((key) => key.deviceId),
    ]);
    const byPlace = new Map(rows.map((row) => [row.place, row]));
    return keys.map((key, index) => toClaim(key, byPlace.get(index + 1)));
  }

  async #recordAll(records: readonly DeliveryRecord[]): Promise<readonly undefined[]> {
    await this.database.query('record_deliveries', RECORD, [
      records.map((record) => record.notificationId),
      records.map((record) => record.deviceId),
      records.map((record) => record.state),
      records.map((record) => (record.isAttempt ? 1 : 0)),
      records.map((record) => record.reason),
      records.map((record) => record.dead?.platform ?? null),
      records.map((record) => record.dead?.token ?? null),
      records.map((record) => record.dead?.appId ?? null),
      records.map((record) => record.dead?.since ?? null),
    ]);
    return records.map(() => undefined);
  }
}

function toClaim(key: DeliveryKey, row: ClaimRow | undefined): Claim {
  // Past the ledger's retention: long since expired.
  if (row === undefined) return { kind: 'ended', state: 'expired' };
  if (row.state !== 'pending') return { kind: 'ended', state: row.state };
  if (!row.is_addressable) return { kind: 'revoked' };
  if (row.is_expired) return { kind: 'expired' };
  return {
    ...key,
    kind: 'due',
    platform: row.platform,
    attempts: row.attempts,
    token: row.token,
    appId: row.app_id,
    userId: row.user_id,
    keyGeneration: row.key_generation,
    realm: { id: row.realm_id, name: row.realm_name, subdomain: row.subdomain },
    content: notificationContent.parse(row.content),
    expiresAt: row.expires_at.getTime(),
    readAt: row.read_at,
  };
}
