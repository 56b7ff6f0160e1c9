import { Injectable } from '@nestjs/common';
import type { Platform } from '#contracts';
import { Database } from '#database';

/** The account that a device belongs to, as of the sign-in. */
export interface DeviceOwner {
  readonly userId: number;
  /** Which of the account's API keys signed in. */
  readonly keyGeneration: number;
}

/** A phone as one app on it introduces itself. */
export interface DeviceRegistration {
  readonly platform: Platform;
  readonly token: string;
  /** The APNs topic; FCM devices have none. */
  readonly appId?: string | undefined;
}

// The lock on the account makes a registration and a change of its key take turns: either the device is
// there before the key changes, and the logout finds it, or the old key registers nothing any more.
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

// Whatever is registered at the same time, the last of these statements sees all of it.
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

@Injectable()
export class DeviceRepository {
  constructor(private readonly database: Database) {}

  /**
   * Keeps the newest `limit` devices of the platform, by when they were last registered. False when the key
   * that signed in is no longer the account's, or the account is deactivated.
   */
  async register(owner: DeviceOwner, device: DeviceRegistration, limit: number): Promise<boolean> {
    const rows = await this.database.query('register_device', REGISTER, [
      owner.userId,
      owner.keyGeneration,
      device.platform,
      device.token,
      device.appId ?? null,
    ]);
    if (rows.length === 0) return false;
    await this.database.query('remove_oldest_devices', REMOVE_OLDEST, [
      owner.userId,
      device.platform,
      limit,
    ]);
    return true;
  }

  /** False when there was none. */
  async remove(owner: DeviceOwner, platform: Platform, token: string): Promise<boolean> {
    const rows = await this.database.query('remove_device', REMOVE, [
      owner.userId,
      owner.keyGeneration,
      platform,
      token,
    ]);
    return rows.length > 0;
  }
}
