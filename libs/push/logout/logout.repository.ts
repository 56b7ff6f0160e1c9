import { Injectable } from '@nestjs/common';
import type { LogoutOutboxEntry } from '#directory/auth';
import { Database, type Transaction } from '#platform/database';
import { ClientDevicesService } from '#push/client-devices';
import { TokenChanges } from '#push/service';

// Idempotent.
const REMOVE_DEVICES = `DELETE FROM push_devices WHERE user_id = $1 AND key_generation < $2 RETURNING id`;

// The lock makes a reactivation wait, so that no device that is registered after it is removed.
const LOCK_ACCOUNT = `SELECT is_active AS "isActive" FROM users WHERE id = $1 FOR SHARE`;

const END_DELIVERIES = `
  UPDATE push_deliveries delivery SET state = 'revoked', updated_at = now()
  FROM push_notifications notification
  WHERE notification.user_id = $1 AND delivery.notification_id = notification.id
    AND delivery.device_id = ANY($2::int[]) AND delivery.state = 'pending'`;

const REMOVE_ENTRY = `DELETE FROM outbox WHERE id = $1`;

/** Removes devices in PostgreSQL. */
@Injectable()
export class LogoutRepository {
  constructor(
    private readonly database: Database,
    private readonly clientDevices: ClientDevicesService,
    private readonly tokenChanges: TokenChanges,
  ) {}

  /**
   * Removes the devices that older keys of the account registered, or all devices of a deactivated account, with their
   * events, ends their pending deliveries, and removes the outbox entry.
   */
  async logOut({ userId, outboxId, ...entry }: LogoutOutboxEntry): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const account = await this.#lock(transaction, userId);
      // A deactivated account gets no new key, so its devices are of this generation at most.
      const keyGeneration =
        account?.isActive === false ? entry.keyGeneration + 1 : entry.keyGeneration;
      const devices = await transaction.query<{ id: number }>('log_out_devices', REMOVE_DEVICES, [
        userId,
        keyGeneration,
      ]);
      const clients = await this.clientDevices.removeOlder(transaction, userId, keyGeneration);
      const gone = [...devices.map(({ id }) => id), ...clients];
      if (gone.length > 0) {
        await transaction.query('end_deliveries_of_devices', END_DELIVERIES, [userId, gone]);
      }
      if (devices.length > 0) await this.tokenChanges.loggedOut(transaction, userId);
      await transaction.query('remove_logout', REMOVE_ENTRY, [outboxId]);
    });
  }

  async #lock(
    transaction: Transaction,
    userId: number,
  ): Promise<{ readonly isActive: boolean } | undefined> {
    const rows = transaction.query<{ isActive: boolean }>('lock_logged_out', LOCK_ACCOUNT, [
      userId,
    ]);
    return (await rows)[0];
  }
}
