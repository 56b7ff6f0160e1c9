import type { SubscriptionChange } from '#push/devices';
import type { Outcome } from '#push/providers';
import type { DueDelivery } from './delivery-claim.repository.js';

/** What to remember about a subscription of Web Push after an attempt; null for nothing, and for phones. */
export function subscriptionChangeOf(
  {
    deviceId,
    subscription,
    token,
    databaseNow,
  }: Pick<DueDelivery, 'deviceId' | 'subscription' | 'token' | 'databaseNow'>,
  {
    outcome,
    isPruneAllowed,
  }: {
    readonly outcome: Exclude<Outcome, { kind: 'config_fault' }>;
    readonly isPruneAllowed: boolean;
  },
): SubscriptionChange | null {
  if (subscription === null) return null;
  switch (outcome.kind) {
    case 'dead_token':
      if (!isPruneAllowed) return null;
      return {
        kind: 'dead',
        endpoint: token,
        vapidKeyId: outcome.ofApp ? subscription.vapidKeyId : null,
        since: new Date(databaseNow),
      };
    case 'delivered': {
      const { failingSince, goneSince, refusedCount } = subscription;
      const isNews = failingSince !== null || goneSince !== null || refusedCount > 0;
      return isNews ? { kind: 'accepted', id: deviceId } : null;
    }
    default:
      return outcome.mark === undefined ? null : { kind: outcome.mark, id: deviceId };
  }
}
