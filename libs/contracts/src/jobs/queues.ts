import { z } from 'zod';

/** The providers of push notifications. */
export const platforms = ['apns', 'fcm'] as const;
export type Platform = (typeof platforms)[number];

/** A queue per platform, so that one provider's trouble is not felt on the other; one for control. */
export const queueNames = ['push-apns', 'push-fcm', 'push-control'] as const;
export type QueueName = (typeof queueNames)[number];

export const platformQueue = (platform: Platform): QueueName => `push-${platform}`;

/**
 * Every job: its name, and the payload that it carries, by the version it was written with.
 *
 * A payload names rows and never holds a token, a key or what a message says: the worker reads those
 * from the database when it needs them, as they are then.
 */
export const jobSchemas = {
  'notification.deliver': z.object({
    v: z.literal(1),
    notificationId: z.uuid(),
    deviceIds: z.array(z.int()).min(1),
  }),
  'account.logout': z.object({
    v: z.literal(1),
    outboxId: z.string(),
    userId: z.int(),
    /** Devices that were registered with an older API key than this generation are logged out. */
    keyGeneration: z.int(),
  }),
} as const;

export type JobName = keyof typeof jobSchemas;
export type JobPayload<Name extends JobName> = z.infer<(typeof jobSchemas)[Name]>;

/** Which jobs a worker of each queue must be able to handle. */
export const jobsOfQueue: Readonly<Record<QueueName, readonly JobName[]>> = {
  'push-apns': ['notification.deliver'],
  'push-fcm': ['notification.deliver'],
  'push-control': ['account.logout'],
};

/** How one delivery of a notification to a device stands or ended. */
export const deliveryStates = [
  'pending',
  'delivered',
  'dead_token',
  'rejected',
  'expired',
  'revoked',
] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** What a `notification.deliver` job returns: the state of each device that it was given. */
export interface DeliverResult {
  readonly states: Readonly<Record<string, DeliveryState>>;
}
