import type { WebPushTarget } from '#push/providers';

/** A subscription of Web Push, and its sealed token. */
export interface ClaimedSubscription extends Omit<WebPushTarget, 'readMessageIds'> {
  readonly confirmation: Buffer;
  /** The end of the notification, in UNIX milliseconds. */
  readonly expiresAt: number;
}

/** A ClaimedSubscription in JSON: bytes in base64. */
export interface SubscriptionRow extends Omit<
  ClaimedSubscription,
  'p256dh' | 'auth' | 'confirmation'
> {
  readonly p256dh: string;
  readonly auth: string;
  readonly confirmation: string;
}

const milliseconds = (time: string): string => `(extract(epoch FROM ${time}) * 1000)::float8`;

/** SQL: a SubscriptionRow of the table `web`, for a notification that ends at `expiresAt`; null without one. */
export const subscriptionRow = (expiresAt: string): string => `
  CASE WHEN web.id IS NOT NULL THEN jsonb_build_object(
    'kind', web.kind, 'p256dh', encode(web.p256dh, 'base64'), 'auth', encode(web.auth, 'base64'),
    'vapidKeyId', web.vapid_key_id, 'confirmation', encode(web.confirmation, 'base64'),
    'expiresAt', ${milliseconds(expiresAt)}, 'failingSince', ${milliseconds('web.failing_since')}, 'goneSince', ${milliseconds('web.gone_since')}, 'refusedCount', web.refused_count
  ) END`;

/** Maps a SubscriptionRow. */
export const subscriptionOf = (row: SubscriptionRow | null): ClaimedSubscription | null =>
  row && {
    ...row,
    p256dh: Buffer.from(row.p256dh, 'base64'),
    auth: Buffer.from(row.auth, 'base64'),
    confirmation: Buffer.from(row.confirmation, 'base64'),
  };
