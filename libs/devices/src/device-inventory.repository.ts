import { Injectable } from '@nestjs/common';
import type { ApnsEnvironment, Platform } from '#contracts';
import { Database } from '#database';

/** A registered phone. Its token is never shown. */
export interface Device {
  readonly id: number;
  readonly platform: Platform;
  /** The APNs topic; null for FCM. */
  readonly appId: string | null;
  /** The first twelve hexadecimal digits of the SHA-256 of the token. */
  readonly fingerprint: string;
  readonly registeredAt: Date;
  /** Null until Apple has told, and for FCM. */
  readonly environment: ApnsEnvironment | null;
  /** Whether it is sent to: its API key is the account's, and the account is in use. */
  readonly isReached: boolean;
}

interface DeviceRow {
  id: number;
  platform: Platform;
  app_id: string | null;
  fingerprint: string;
  registered_at: Date;
  environment: ApnsEnvironment | null;
  is_reached: boolean;
}

const LIST = `
  SELECT device.id, device.platform, device.app_id, device.registered_at, device.environment,
    left(encode(device.token_digest, 'hex'), 12) AS fingerprint,
    account.is_active AND device.key_generation = account.key_generation AS is_reached
  FROM push_devices device JOIN users account ON account.id = device.user_id
  WHERE device.user_id = $1 ORDER BY device.id LIMIT $2`;

const REMOVE = `
  DELETE FROM push_devices
  WHERE user_id = $1 AND ($2::int[] IS NULL OR id = ANY($2))
  RETURNING id`;

/** The devices of accounts, as an operator sees them. */
@Injectable()
export class DeviceInventoryRepository {
  constructor(private readonly database: Database) {}

  /** In the order of their ids, `limit` at most. */
  async list(userId: number, limit: number): Promise<Device[]> {
    const rows = await this.database.query<DeviceRow>('list_devices', LIST, [userId, limit]);
    return rows.map((row) => ({
      id: row.id,
      platform: row.platform,
      appId: row.app_id,
      fingerprint: row.fingerprint,
      registeredAt: row.registered_at,
      environment: row.environment,
      isReached: row.is_reached,
    }));
  }

  /** The ids of those that were removed: of those given, or of all when null. */
  async remove(userId: number, deviceIds: readonly number[] | null): Promise<number[]> {
    const rows = await this.database.query<{ id: number }>('remove_devices', REMOVE, [
      userId,
      deviceIds,
    ]);
    return rows.map(({ id }) => id);
  }
}
