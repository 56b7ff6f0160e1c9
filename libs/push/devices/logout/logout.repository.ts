import { Inject, Injectable } from '@nestjs/common';
import type { LogoutOutboxEntry } from '#directory/auth';
import { Database } from '#platform/database';
import { ClientDevicesService } from '../encrypted/client-devices.service.js';
import { WebPushRepository } from '../web/web-push.repository.js';
import { DEVICE_CHANGES, type DeviceChanges } from '#push/relay';

// Idempotent.
const REMOVE_DEVICES = `DELETE FROM push_devices WHERE user_id = $1 AND key_generation < $2 RETURNING id`;

const READ_ACCOUNT = `SELECT is_active AS "isActive" FROM users WHERE id = $1`;

const END_DELIVERIES = `
  UPDATE push_deliveries delivery SET state = 'revoked', updated_at = now()
  FROM push_notifications notification
  WHERE notification.user_id = $1 AND delivery.notification_id = notification.id
    AND delivery.device_id = ANY($2::int[]) AND delivery.state = 'pending'`;

const ENTRIES = `
  SELECT id::text AS outbox_id, (payload ->> 'userId')::int AS user_id,
    (payload ->> 'keyGeneration')::int AS key_generation
  FROM outbox
  WHERE topic = 'account.logout' AND id > $1 AND created_at < now() - make_interval(secs => $2)
  ORDER BY id LIMIT $3`;

const REMOVE_ENTRY = `DELETE FROM outbox WHERE id = $1`;

/** Reads the logouts that wait, and carries them out in PostgreSQL. */
@Injectable()
export class LogoutRepository {
  constructor(
    private readonly database: Database,
    private readonly clientDevices: ClientDevicesService,
    private readonly webPush: WebPushRepository,
    @Inject(DEVICE_CHANGES) private readonly changes: DeviceChanges,
  ) {}

  /**
   * Removes the devices that older keys of the account registered, or all devices of a deactivated account, with their
   * events, ends their pending deliveries, and removes the outbox entry.
   */
  async logOut({ userId, outboxId, ...entry }: LogoutOutboxEntry): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const [account] = await transaction.query<{ readonly isActive: boolean }>(
        'logged_out_account',
        READ_ACCOUNT,
        [userId],
      );
      // A deactivated account gets no new key, so its devices are of this generation at most; those that it registers after
      // a reactivation are of a later one.
      const keyGeneration =
        account?.isActive === false ? entry.keyGeneration + 1 : entry.keyGeneration;
      const devices = await transaction.query<{ id: number }>('log_out_devices', REMOVE_DEVICES, [
        userId,
        keyGeneration,
      ]);
      const clients = await this.clientDevices.removeOlder(transaction, userId, keyGeneration);
      const web = await this.webPush.removeOlder(transaction, userId, keyGeneration);
      const gone = [...devices.map(({ id }) => id), ...clients, ...web];
      if (gone.length > 0) {
        await transaction.query('end_deliveries_of_devices', END_DELIVERIES, [userId, gone]);
      }
      if (devices.length > 0) await this.changes.loggedOut(transaction, userId);
      await transaction.query('remove_logout', REMOVE_ENTRY, [outboxId]);
    });
  }

  /** Logouts older than `ageMs` milliseconds, in the order of their ids. */
  async entries(ageMs: number, afterId: string, limit: number): Promise<LogoutOutboxEntry[]> {
    const rows = await this.database.query<{
      outbox_id: string;
      user_id: number;
      key_generation: number;
    }>('sweep_outbox', ENTRIES, [afterId, ageMs / 1000, limit]);
    return rows.map((row) => ({
      outboxId: row.outbox_id,
      userId: row.user_id,
      keyGeneration: row.key_generation,
    }));
  }
}
