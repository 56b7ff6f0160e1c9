import { Injectable } from '@nestjs/common';
import type { PhonePlatform } from '#push/jobs';
import { Database } from '#platform/database';
import type { AgedApp, OldTokens } from '#push/tokens';

const APPS = `
  SELECT coalesce(app_id, '') AS app, count(*)::int AS devices,
    count(*) FILTER (WHERE registered_at < $2)::int AS old
  FROM push_devices WHERE platform = $1 GROUP BY 1`;

const AGE_OUT = `
  DELETE FROM push_devices WHERE id IN (
    SELECT id FROM push_devices
    WHERE platform = $1 AND registered_at < $2 AND coalesce(app_id, '') = $3
    ORDER BY registered_at LIMIT $4 FOR UPDATE SKIP LOCKED
  ) RETURNING id`;

/** The devices of accounts by the time of their last registration. */
@Injectable()
export class DeviceAgeRepository {
  constructor(private readonly database: Database) {}

  /** The apps of the devices of a platform (empty for FCM); those registered before `before` are old. */
  apps(platform: PhonePlatform, before: Date): Promise<AgedApp[]> {
    return this.database.query('apps_of_devices', APPS, [platform, before]);
  }

  /** Removes the oldest devices of an app that were registered before `before`; resolves with their number. */
  async ageOut({ platform, app, before }: OldTokens, limit: number): Promise<number> {
    const values = [platform, before, app, limit];
    return (await this.database.query('age_out_devices', AGE_OUT, values)).length;
  }
}
