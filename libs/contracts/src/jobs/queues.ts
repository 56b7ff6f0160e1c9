import { z } from 'zod';

/** The providers of push notifications. */
export const platforms = ['apns', 'fcm'] as const;
export type Platform = (typeof platforms)[number];

/** Apple's two worlds: a token belongs to one of them, and is not known in the other. */
export const apnsEnvironments = ['production', 'sandbox'] as const;
export type ApnsEnvironment = (typeof apnsEnvironments)[number];

/** What a notification is about: a try, a message, or messages that are to vanish from the screens. */
export const notificationKinds = ['test', 'message', 'remove'] as const;
export type NotificationKind = (typeof notificationKinds)[number];

/** `urgent` is what somebody waits for; `bulk` may wait: fan-outs, storms, and what clears a screen. */
export const pushLanes = ['urgent', 'bulk'] as const;
export type PushLane = (typeof pushLanes)[number];

/**
 * Queues of their own for each platform, so that one provider's trouble is not felt on the other, and in
 * each for what may wait; one for control.
 */
export const queueNames = [
  'push-apns',
  'push-apns-bulk',
  'push-fcm',
  'push-fcm-bulk',
  'push-control',
] as const;
export type QueueName = (typeof queueNames)[number];

export const platformQueue = (platform: Platform, lane: PushLane): QueueName =>
  lane === 'urgent' ? `push-${platform}` : `push-${platform}-bulk`;

/** The priorities of jobs that go behind those without one: 1 is the most urgent. */
export const leastJobPriority = 20;

/**
 * Every job: its name, and the payload that it carries, by the version it was written with.
 *
 * A payload names rows and never holds a token, a key or what a message says: the worker reads those
 * from the database when it needs them, as they are then.
 */
export const jobSchemas = {
  'notification.deliver': z.discriminatedUnion('v', [
    /** As written by 0.1. */
    z.object({
      v: z.literal(1),
      notificationId: z.uuid(),
      deviceIds: z.array(z.int()).min(1),
    }),
    z.object({
      v: z.literal(2),
      items: z
        .array(
          z.object({
            /** Of the notification. */
            id: z.uuid(),
            devices: z.array(z.int()).min(1),
            /** Whether somebody waits to hear what comes of it. */
            isAwaited: z.boolean().optional(),
          }),
        )
        .min(1),
    }),
  ]),
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
  'push-apns-bulk': ['notification.deliver'],
  'push-fcm': ['notification.deliver'],
  'push-fcm-bulk': ['notification.deliver'],
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
  'withdrawn',
] as const;
export type DeliveryState = (typeof deliveryStates)[number];
