import { z } from 'zod';

/** The providers of push notifications. */
export const platforms = ['apns', 'fcm'] as const;
export type Platform = (typeof platforms)[number];

/** A token belongs to one environment of Apple, and is unknown in the other. */
export const apnsEnvironments = ['production', 'sandbox'] as const;
export type ApnsEnvironment = (typeof apnsEnvironments)[number];

/** A test, a message, or messages to remove from the screens. */
export const notificationKinds = ['test', 'message', 'remove'] as const;
export type NotificationKind = (typeof notificationKinds)[number];

/** `urgent`: a user waits for it. `bulk` may wait: large fan-outs, bursts and removals. */
export const pushLanes = ['urgent', 'bulk'] as const;
export type PushLane = (typeof pushLanes)[number];

/** The default prefix of every key of the queues in Redis. */
export const QUEUE_PREFIX = 'carillon';

/**
 * Separate queues for each platform and lane, so that the outage of one provider does not affect the other; one queue for
 * control.
 */
export const queueNames = [
  'push-apns',
  'push-apns-bulk',
  'push-fcm',
  'push-fcm-bulk',
  'push-control',
] as const;
export type QueueName = (typeof queueNames)[number];

/** The queue of the deliveries to a platform in a lane. */
export const platformQueue = (platform: Platform, lane: PushLane): QueueName =>
  lane === 'urgent' ? `push-${platform}` : `push-${platform}-bulk`;

/** Priorities are from 1, the most urgent, to this number. Jobs without a priority precede them. */
export const leastJobPriority = 20;

/** Of control jobs that wait for a push service: logouts and fan-outs precede them while the service is slow. */
export const serviceJobPriority = 1;

/**
 * The names of all jobs, and the payloads of each version.
 *
 * A payload contains ids, and never a token, a key or the content of a message: the worker reads them from the database
 * when it needs them.
 */
export const jobSchemas = {
  'notification.deliver': z.discriminatedUnion('v', [
    /** Written by release 0.1. */
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
            /** The id of the notification. */
            id: z.uuid(),
            devices: z.array(z.int()).min(1),
            /** Whether a request waits for the result. */
            isAwaited: z.boolean().optional(),
          }),
        )
        .min(1),
    }),
  ]),
  'remote.deliver': z.object({
    v: z.literal(1),
    /** The rows of the account of notifications of other servers. */
    deliveries: z.array(z.int()).min(1),
    /** The topic of the results, if a request waits for them. */
    requestId: z.uuid().optional(),
  }),
  'account.logout': z.object({
    v: z.literal(1),
    outboxId: z.string(),
    userId: z.int(),
    /** Devices of an older API key than this generation are logged out. */
    keyGeneration: z.int(),
  }),
  /** Notifies the recipients of the messages of a channel that wait for it. */
  'message.notify': z.object({ v: z.literal(1), channelId: z.int() }),
  'device.register': z.object({ v: z.literal(1), deviceId: z.int() }),
  /** Sends the changes of the phones of an account to the push service of another server. */
  'account.relay': z.object({ v: z.literal(1), userId: z.int() }),
} as const;

export type JobName = keyof typeof jobSchemas;
export type JobPayload<Name extends JobName> = z.infer<(typeof jobSchemas)[Name]>;

/** The jobs that a worker of each queue must handle. */
export const jobsOfQueue: Readonly<Record<QueueName, readonly JobName[]>> = {
  'push-apns': ['notification.deliver', 'remote.deliver'],
  'push-apns-bulk': ['notification.deliver', 'remote.deliver'],
  'push-fcm': ['notification.deliver', 'remote.deliver'],
  'push-fcm-bulk': ['notification.deliver', 'remote.deliver'],
  'push-control': ['account.logout', 'account.relay', 'device.register', 'message.notify'],
};

/** The states of the delivery of a notification to a device. */
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
