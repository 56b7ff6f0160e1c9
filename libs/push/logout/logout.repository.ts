import { Injectable } from '@nestjs/common';
import type { LogoutOutboxEntry } from '#directory/auth';
import { Database } from '#platform/database';

// One statement, so one transaction; idempotent.
const LOG_OUT = `
  WITH gone AS (
    DELETE FROM push_devices WHERE user_id = $1 AND key_generation < $2 RETURNING id
  ), revoked AS (
    UPDATE push_deliveries delivery SET state = 'revoked', updated_at = now()
    FROM push_notifications notification, gone
    WHERE notification.user_id = $1 AND delivery.notification_id = notification.id
      AND delivery.device_id = gone.id AND delivery.state = 'pending'
  )
  DELETE FROM outbox WHERE id = $3`;

/** Removes devices in PostgreSQL. */
@Injectable()
export class LogoutRepository {
  constructor(private readonly database: Database) {}

  /**
   * Removes the devices that older keys of the account registered, ends their pending deliveries, and
   * removes the outbox entry.
   */
  async logOut({ userId, keyGeneration, outboxId }: LogoutOutboxEntry): Promise<void> {
    await this.database.query('log_out_devices', LOG_OUT, [userId, keyGeneration, outboxId]);
  }
}
