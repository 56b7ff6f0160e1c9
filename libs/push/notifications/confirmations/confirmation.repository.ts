import { Injectable } from '@nestjs/common';
import type { Transaction } from '#platform/database';
import type { UnconfirmedSubscription } from '#push/devices';

const ACCEPT = `
  WITH notification AS (
    INSERT INTO push_notifications (id, realm_id, user_id, kind, content, expires_at, trace_parent)
    VALUES ($1, $4, $3, 'confirm', '{"kind":"confirm"}', now() + make_interval(secs => $5), $6)
    RETURNING id
  )
  INSERT INTO push_deliveries (notification_id, device_id, realm_id, platform, fingerprint)
  SELECT notification.id, subscription.id, $4, 'web', left(encode(subscription.endpoint_digest, 'hex'), 12)
  FROM notification, web_push_subscriptions subscription
  WHERE subscription.id = $2`;

/** A confirmation to accept. */
interface NewConfirmation extends UnconfirmedSubscription {
  /** A UUID of version 7. */
  readonly notificationId: string;
  readonly timeToLiveMs: number;
  /** W3C Trace Context of the request, if it is traced. */
  readonly traceParent: string | null;
}

/** Accepts the confirmations of subscriptions of Web Push into the ledger. */
@Injectable()
export class ConfirmationRepository {
  async accept(transaction: Transaction, confirmation: NewConfirmation): Promise<void> {
    await transaction.query('accept_confirmation', ACCEPT, [
      confirmation.notificationId,
      confirmation.id,
      confirmation.userId,
      confirmation.realmId,
      confirmation.timeToLiveMs / 1000,
      confirmation.traceParent,
    ]);
  }
}
