import { Inject, Injectable } from '@nestjs/common';
import { batched } from '#platform/core';
import { Database } from '#platform/database';
import { type DueDelivery, STILL_PENDING } from './delivery-claim.repository.js';
import { LEASE_MS } from './delivery-lease.js';

/** A leased delivery that was not sent. */
type UnsentDelivery = Pick<
  DueDelivery,
  'notificationId' | 'deviceId' | 'mayBeShown' | 'databaseNow'
>;

// A later due time is that of another worker, which has claimed the delivery after the lease. All workers lock in the same order.
// LIMIT cuts nothing off: it makes the planner look up each row by its key.
const GIVE_BACK = `
  UPDATE push_deliveries delivery SET due_at = now(), may_be_shown = given.may_be_shown
  FROM (
    SELECT * FROM unnest($1::uuid[], $2::int[], $3::boolean[], $4::float8[])
      AS given (notification_id, device_id, may_be_shown, leased_until)
    ORDER BY notification_id, device_id LIMIT cardinality($1::uuid[])
  ) AS given
  WHERE delivery.notification_id = given.notification_id AND delivery.device_id = given.device_id
    AND ${STILL_PENDING} AND delivery.due_at <= to_timestamp(given.leased_until)`;

/** Gives leased deliveries back that were not sent. */
@Injectable()
export class DeliveryReturnRepository {
  /**
   * Ends the lease of a delivery: it is due at once, and counts as shown only if it did before. Calls of the same moment share a
   * statement.
   */
  readonly giveBack = batched((unsent: readonly UnsentDelivery[]) => this.#giveAllBack(unsent));

  constructor(
    private readonly database: Database,
    @Inject(LEASE_MS) private readonly leaseMs: number,
  ) {}

  async #giveAllBack(unsent: readonly UnsentDelivery[]): Promise<void[]> {
    await this.database.query('give_back_deliveries', GIVE_BACK, [
      unsent.map(({ notificationId }) => notificationId),
      unsent.map(({ deviceId }) => deviceId),
      unsent.map(({ mayBeShown }) => mayBeShown),
      // Stored times are rounded, up to half a millisecond ahead.
      unsent.map(({ databaseNow }) => (databaseNow + this.leaseMs + 1) / 1000),
    ]);
    return unsent.map(() => undefined);
  }
}
