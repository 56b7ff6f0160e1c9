import { Injectable } from '@nestjs/common';
import type { Platform } from '#platform/contracts';
import { Database, type Session, type Transaction } from '#platform/database';

/** The account that a device belongs to, as of the sign-in. */
export interface DeviceOwner {
  readonly userId: number;
  /** The generation of the API key that signed in. */
  readonly keyGeneration: number;
}

/** A device to register. */
export interface DeviceRegistration {
  readonly platform: Platform;
  readonly token: string;
  /** The APNs topic; undefined for FCM. */
  readonly appId?: string | undefined;
}

// The lock on the account serialises a registration and a change of its key: either the device is stored before the
// key changes, and the logout removes it, or the old key cannot register it any more.
const REGISTER = `
  INSERT INTO push_devices (user_id, platform, token, token_digest, app_id, key_generation)
  SELECT account.id, $3, $4, sha256(convert_to($4, 'UTF8')), $5, account.key_generation
  FROM (
    SELECT id, key_generation FROM users
    WHERE id = $1 AND key_generation = $2 AND is_active
    FOR SHARE
  ) AS account
  ON CONFLICT (user_id, platform, token_digest) DO UPDATE
  SET key_generation = excluded.key_generation, app_id = excluded.app_id, registered_at = now()
  RETURNING id`;

// Of concurrent registrations the last statement sees all devices.
const REMOVE_OLDEST = `
  DELETE FROM push_devices WHERE id IN (
    SELECT id FROM push_devices WHERE user_id = $1 AND platform = $2
    ORDER BY registered_at DESC, id DESC OFFSET $3
  )`;

const REMOVE = `
  DELETE FROM push_devices
  WHERE user_id = $1 AND key_generation = $2 AND platform = $3
    AND token_digest = sha256(convert_to($4, 'UTF8'))
  RETURNING id`;

const REMOVE_BY_TOKEN_IDS = `
  DELETE FROM push_devices WHERE user_id = $1 AND substring(token_digest FOR 8) = ANY($2::bytea[])`;

/** Stores the devices of accounts. */
@Injectable()
export class DeviceRepository {
  constructor(private readonly database: Database) {}

  /**
   * Keeps the newest `limit` devices of the platform, by when they were last registered. False when the key
   * that signed in is no longer the account's, or the account is deactivated.
   */
  async register(
    owner: DeviceOwner,
    device: DeviceRegistration,
    limit: number,
    session: Session = this.database,
  ): Promise<boolean> {
    const rows = await session.query('register_device', REGISTER, [
      owner.userId,
      owner.keyGeneration,
      device.platform,
      device.token,
      device.appId ?? null,
    ]);
    if (rows.length === 0) return false;
    await session.query('remove_oldest_devices', REMOVE_OLDEST, [
      owner.userId,
      device.platform,
      limit,
    ]);
    return true;
  }

  /** False if the account has no such device. */
  async remove(
    owner: DeviceOwner,
    platform: Platform,
    token: string,
    session: Session = this.database,
  ): Promise<boolean> {
    const rows = await session.query('remove_device', REMOVE, [
      owner.userId,
      owner.keyGeneration,
      platform,
      token,
    ]);
    return rows.length > 0;
  }

  /** Removes the devices of an account whose tokens have these ids: the first eight bytes of the SHA-256. */
  async removeByTokenIds(
    transaction: Transaction,
    userId: number,
    tokenIds: readonly Buffer[],
  ): Promise<void> {
    await transaction.query('remove_devices_by_token_ids', REMOVE_BY_TOKEN_IDS, [userId, tokenIds]);
  }
}
