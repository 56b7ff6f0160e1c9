import { Injectable } from '@nestjs/common';
import type { PhonePlatform } from '#push/jobs';
import { Database } from '#platform/database';
import type { OverdueTenantDelivery } from '../notify/tenant-delivery-queue.js';
import { FIRST_AHEAD } from './tenant-delivery.repository.js';

// Of the deliveries to a device only the first: the worker of that one goes on with the others.
//
// The due time is set to now, so that no second worker takes the same rows. The condition on a positive id selects the
// ordered index.
const OVERDUE = `
  WITH overdue AS (
    SELECT id, platform, server_id, is_silent FROM remote_deliveries delivery
    WHERE state = 'pending' AND id > 0 AND platform = $1 AND id > $2::bigint
      AND due_at < now() - make_interval(secs => $3) AND NOT coalesce((SELECT true ${FIRST_AHEAD}), false)
    ORDER BY id LIMIT $4 FOR UPDATE SKIP LOCKED
  ), touched AS (
    UPDATE remote_deliveries delivery SET due_at = now()
    FROM overdue WHERE delivery.id = overdue.id
  )
  SELECT id, platform, server_id AS "serverId", is_silent AS "isSilent" FROM overdue ORDER BY id`;

// The index of the acceptance times finds exactly the rows to remove.
const FORGET = `
  DELETE FROM remote_deliveries WHERE id IN (
    SELECT id FROM remote_deliveries
    WHERE accepted_at < now() - make_interval(secs => $1) AND expires_at <= now()
    ORDER BY accepted_at LIMIT $2 FOR UPDATE SKIP LOCKED
  ) RETURNING id`;

/** Finds lost deliveries of servers, and removes old rows. Ages are in milliseconds. */
@Injectable()
export class TenantSweepRepository {
  constructor(private readonly database: Database) {}

  /** The deliveries of a platform above `afterId` that have been overdue for longer than `ageMs`, in the order of their ids. */
  overdue(
    platform: PhonePlatform,
    ageMs: number,
    afterId: number,
    limit: number,
  ): Promise<OverdueTenantDelivery[]> {
    const values = [platform, afterId, ageMs / 1000, limit];
    return this.database.query('overdue_remote_deliveries', OVERDUE, values);
  }

  /** Removes deliveries that were accepted longer ago than `ageMs`; resolves with their number. */
  async forget(ageMs: number, limit: number): Promise<number> {
    const values = [ageMs / 1000, limit];
    return (await this.database.query('forget_remote_deliveries', FORGET, values)).length;
  }
}
