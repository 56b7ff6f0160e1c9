import { Injectable } from '@nestjs/common';
import type { AccountKey } from '#platform/contracts';
import type { PhonePlatform } from '#push/jobs';
import { Database, type Session, type Transaction } from '#platform/database';
import {
  type FcmTarget,
  fcmTargetOf,
  installationOf,
  installationTokenIdOf,
} from '#push/encryption';
import { type StoredToken, tokenDigestOf } from '#push/tokens';

/** A device to register. */
export interface NewDevice {
  readonly platform: PhonePlatform;
  readonly token: string;
  /** The APNs topic; undefined for FCM. */
  readonly appId?: string | undefined;
  /** Whether its icon shows the number of unread messages; false when left out. */
  readonly wantsBadge?: boolean | undefined;
}

/** A device that was registered. */
interface RegisteredDevice {
  /** In the spelling of its first registration. */
  readonly token: string;
  /** That of the account. */
  readonly realmId: number;
  /** Older devices and another target of the phone, which were removed for it. */
  readonly removed: readonly StoredToken[];
}

const DIGEST = tokenDigestOf('$3::text', '$4::text');

// The lock on the account serialises a registration and a change of its key: either the device is stored before the
// key changes, and the logout removes it, or the old key cannot register it any more. It also serialises the registrations
// of a token, of which the last one counts. Phones register again and again: an insertion takes an id even where it finds a
// conflict, so known devices are updated first. A known token keeps its spelling: a push service may compare it exactly.
const REGISTER = `
  WITH account AS MATERIALIZED (
    SELECT id, realm_id, key_generation FROM users
    WHERE id = $1 AND key_generation = $2 AND is_active
    FOR NO KEY UPDATE
  ),
  known AS (
    UPDATE push_devices device
    SET key_generation = account.key_generation, app_id = $5, fcm_target = $6, wants_badge = $7,
      registered_at = now()
    FROM account
    WHERE device.user_id = account.id AND device.platform = $3 AND device.token_digest = ${DIGEST}
    RETURNING device.token, account.realm_id
  ),
  added AS (
    INSERT INTO push_devices
      (user_id, platform, token, token_digest, app_id, fcm_target, wants_badge, key_generation)
    SELECT account.id, $3, $4, ${DIGEST}, $5, $6, $7, account.key_generation
    FROM account WHERE NOT EXISTS (SELECT FROM known)
    ON CONFLICT (user_id, platform, token_digest) DO UPDATE
    SET key_generation = excluded.key_generation, app_id = excluded.app_id,
      wants_badge = excluded.wants_badge, registered_at = now()
    RETURNING token
  )
  SELECT token, realm_id AS "realmId" FROM known
  UNION ALL
  SELECT added.token, account.realm_id FROM added, account`;

// A phone has one target: after a registration by its installation id Google ends its token, and after one by token its id.
const REMOVE_OTHER_TARGETS = `
  DELETE FROM push_devices
  WHERE user_id = $1 AND platform = 'fcm'
    AND CASE $2::text WHEN 'fid' THEN starts_with(token, $3::text || ':') ELSE token = $3::text END
  RETURNING platform, token`;

// Of concurrent registrations the last statement sees all devices.
const REMOVE_OLDEST = `
  DELETE FROM push_devices WHERE id IN (
    SELECT id FROM push_devices WHERE user_id = $1 AND platform = $2
    ORDER BY registered_at DESC, id DESC OFFSET $3
  )
  RETURNING platform, token`;

const REMOVE = `
  DELETE FROM push_devices
  WHERE user_id = $1 AND key_generation = $2 AND platform = $3 AND token_digest = ${DIGEST}
  RETURNING id, token`;

const REMOVE_BY_TOKEN_IDS = `
  DELETE FROM push_devices
  WHERE user_id = $1 AND (
    substring(token_digest FOR 8) = ANY($2::bytea[])
    OR platform = 'apns' AND (
      substring(sha256(convert_to(token, 'UTF8')) FOR 8) = ANY($2::bytea[])
      OR substring(sha256(convert_to(upper(token), 'UTF8')) FOR 8) = ANY($2::bytea[])
    )
    OR platform = 'fcm' AND ${installationTokenIdOf('token')} = $3
  )
  RETURNING platform, token`;

const REMOVE_DELETED = `
  DELETE FROM push_devices device
  WHERE device.user_id = $1 AND device.registered_at <= $3
    AND (device.token = ANY($2::text[])
      OR device.platform = 'apns'
        AND lower(device.token) = ANY(SELECT lower(token) FROM unnest($2::text[]) AS token))
    AND NOT EXISTS (
      SELECT FROM push_service_changes change
      WHERE change.user_id = device.user_id AND change.token_digest = device.token_digest
    )
  RETURNING device.platform`;

/** Stores the devices of accounts. */
@Injectable()
export class DeviceRepository {
  constructor(private readonly database: Database) {}

  /**
   * Keeps the newest `limit` devices of the platform, by when they were last registered, and one target of the phone. Locks
   * the account until the end of the transaction. Null when the key that signed in is no longer the account's, or the account is deactivated.
   */
  async register(
    transaction: Transaction,
    owner: AccountKey,
    device: NewDevice,
    limit: number,
  ): Promise<RegisteredDevice | null> {
    const { platform, token, appId = null, wantsBadge = false } = device;
    const target = platform === 'fcm' ? fcmTargetOf(token) : null;
    const [row] = await transaction.query<Omit<RegisteredDevice, 'removed'>>(
      'register_device',
      REGISTER,
      [owner.userId, owner.keyGeneration, platform, token, appId, target, wantsBadge],
    );
    if (row === undefined) return null;
    const others = await this.#removeOtherTargets(transaction, owner.userId, token, target);
    const oldest = await transaction.query<StoredToken>('remove_oldest_devices', REMOVE_OLDEST, [
      owner.userId,
      platform,
      limit,
    ]);
    return { ...row, removed: [...others, ...oldest] };
  }

  async #removeOtherTargets(
    transaction: Transaction,
    userId: number,
    token: string,
    target: FcmTarget | null,
  ): Promise<StoredToken[]> {
    const installation = target === null ? null : installationOf(token);
    if (installation === null) return [];
    const values = [userId, target, installation];
    return transaction.query('remove_other_targets', REMOVE_OTHER_TARGETS, values);
  }

  /** Null if the account has no such device. */
  async remove(
    owner: AccountKey,
    platform: PhonePlatform,
    token: string,
    session: Session,
  ): Promise<{ readonly id: number; readonly token: string } | null> {
    const [row] = await session.query<{ id: number; token: string }>('remove_device', REMOVE, [
      owner.userId,
      owner.keyGeneration,
      platform,
      token,
    ]);
    return row ?? null;
  }

  /**
   * Removes devices of an account whose tokens the push service of another server does not have, in any spelling; but
   * neither those that were registered after `since`, nor those that the service has yet to learn of. Resolves with the
   * platform of each.
   */
  async removeDeleted(
    userId: number,
    tokens: readonly string[],
    since: Date,
  ): Promise<PhonePlatform[]> {
    const values = [userId, tokens, since];
    const rows = await this.database.query<{ platform: PhonePlatform }>(
      'remove_deleted_devices',
      REMOVE_DELETED,
      values,
    );
    return rows.map(({ platform }) => platform);
  }

  /**
   * Removes the devices of an account whose tokens have these ids: the first eight bytes of the SHA-256 in any spelling. Also
   * those with a token of the installation whose id has `registeredId`.
   */
  async removeByTokenIds(
    transaction: Transaction,
    userId: number,
    tokenIds: readonly Buffer[],
    registeredId: Buffer,
  ): Promise<StoredToken[]> {
    const values = [userId, tokenIds, registeredId];
    return transaction.query('remove_devices_by_token_ids', REMOVE_BY_TOKEN_IDS, values);
  }
}
