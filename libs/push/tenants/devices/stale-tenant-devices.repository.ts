import { Injectable } from '@nestjs/common';
import { type PhonePlatform, phonePlatforms } from '#push/jobs';
import { Database } from '#platform/database';
import type { AgedApp, OldTokens, RemovedDevices } from '#push/tokens';

// Another worker may do the same: it skips the rows that this one has locked.
const AGE_OUT = `
  WITH old AS (
    SELECT id, token_id IS NOT NULL AS is_sealed FROM remote_devices
    WHERE platform = $1 AND refreshed_at < $2 AND expired_at IS NULL
      AND coalesce(app_id, '') = $3
    ORDER BY refreshed_at LIMIT $4 FOR UPDATE SKIP LOCKED
  ), expired AS (
    UPDATE remote_devices SET expired_at = $5
    WHERE id IN (SELECT id FROM old WHERE is_sealed)
  ), removed AS (
    DELETE FROM remote_devices WHERE id IN (SELECT id FROM old WHERE NOT is_sealed)
  )
  SELECT id FROM old`;

const APPS = `
  SELECT coalesce(app_id, '') AS app, count(*)::int AS devices,
    count(*) FILTER (WHERE refreshed_at < $2)::int AS old
  FROM remote_devices WHERE platform = $1 AND expired_at IS NULL
  GROUP BY 1`;

const FORGET_EXPIRED = `
  DELETE FROM remote_devices WHERE id IN (
    SELECT id FROM remote_devices WHERE expired_at < $1
    ORDER BY expired_at LIMIT $2 FOR UPDATE SKIP LOCKED
  ) RETURNING platform`;

const FORGET_OF_DEACTIVATED = `
  DELETE FROM remote_devices WHERE id IN (
    SELECT device.id FROM remote_servers server
    JOIN remote_devices device ON device.server_id = server.id
    WHERE server.deactivated_at < $1
    LIMIT $2 FOR UPDATE OF device SKIP LOCKED
  ) RETURNING platform`;

const FORGET_OF_DELETED = `
  DELETE FROM remote_devices WHERE id IN (
    SELECT device.id FROM remote_realms realm
    JOIN remote_devices device ON device.realm_id = realm.id
    WHERE realm.locally_deleted_at < $1
    LIMIT $2 FOR UPDATE OF device SKIP LOCKED
  ) RETURNING platform`;

const FORGET_REALMS = `
  DELETE FROM remote_realms WHERE id IN (
    SELECT realm.id FROM remote_realms realm
    JOIN remote_servers server ON server.id = realm.server_id
    WHERE (realm.locally_deleted_at < $1 OR server.deactivated_at < $1)
      AND NOT EXISTS (SELECT FROM remote_devices device WHERE device.realm_id = realm.id)
    LIMIT $2 FOR UPDATE OF realm SKIP LOCKED
  ) RETURNING id`;

/** Removes tokens and organisations of servers that are no longer needed, a bounded number in each call. */
@Injectable()
export class StaleTenantDevicesRepository {
  constructor(private readonly database: Database) {}

  /** The apps of the tokens of a platform; those registered before `before` are old. */
  apps(platform: PhonePlatform, before: Date): Promise<AgedApp[]> {
    return this.database.query<AgedApp>('apps_of_remote_devices', APPS, [platform, before]);
  }

  /** Ends tokens of an app that were registered before `before`, as if their provider had called them dead. */
  async ageOut({ platform, app, before, now }: OldTokens, limit: number): Promise<number> {
    const values = [platform, before, app, limit, now];
    return (await this.database.query('age_out_remote_devices', AGE_OUT, values)).length;
  }

  /** Removes tokens that have been dead since before `before`. */
  forgetExpired(before: Date, limit: number): Promise<RemovedDevices[]> {
    return this.#remove('forget_expired_remotes', FORGET_EXPIRED, before, limit);
  }

  /** Removes the tokens of servers that were deactivated before `before`. */
  forgetOfDeactivated(before: Date, limit: number): Promise<RemovedDevices[]> {
    return this.#remove('forget_of_deactivated', FORGET_OF_DEACTIVATED, before, limit);
  }

  /** Removes the tokens of organisations that were deleted before `before`. */
  forgetOfDeleted(before: Date, limit: number): Promise<RemovedDevices[]> {
    return this.#remove('forget_of_deleted_realms', FORGET_OF_DELETED, before, limit);
  }

  /**
   * Removes organisations without tokens that were deleted, or whose servers were deactivated, before `before`: at most `limit`.
   * Resolves with their number.
   */
  async forgetRealms(before: Date, limit: number): Promise<number> {
    return (await this.database.query('forget_remote_realms', FORGET_REALMS, [before, limit]))
      .length;
  }

  async #remove(
    name: string,
    text: string,
    before: Date,
    limit: number,
  ): Promise<RemovedDevices[]> {
    const rows = await this.database.query<{ platform: PhonePlatform }>(name, text, [
      before,
      limit,
    ]);
    return phonePlatforms.map((platform) => ({
      platform,
      devices: rows.filter((row) => row.platform === platform).length,
    }));
  }
}
