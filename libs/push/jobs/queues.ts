import type {
  JobContext as QueueJobContext,
  JobDeclaration,
  JobHandler as QueueJobHandler,
  JobNameOf,
  NewJob as QueueJob,
  PayloadOf,
  QueueNameOf,
} from '#platform/queue';
import { z } from 'zod';

/** The platforms whose phones have tokens: Apple and Google. */
export const phonePlatforms = ['apns', 'fcm'] as const;
export type PhonePlatform = (typeof phonePlatforms)[number];

/** The providers of push notifications; `web` are all services of Web Push. */
export const platforms = [...phonePlatforms, 'web'] as const;
export type Platform = (typeof platforms)[number];

/** A token belongs to one environment of Apple, and is unknown in the other. */
export const apnsEnvironments = ['production', 'sandbox'] as const;
export type ApnsEnvironment = (typeof apnsEnvironments)[number];

/** A test, a message, messages to remove from the screens, or the confirmation of a subscription of Web Push. */
export const notificationKinds = ['test', 'message', 'remove', 'confirm'] as const;
export type NotificationKind = (typeof notificationKinds)[number];

/** `urgent`: a user waits for it. `bulk` may wait: large fan-outs, bursts and removals. */
export const pushLanes = ['urgent', 'bulk'] as const;
export type PushLane = (typeof pushLanes)[number];

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
const payloads = {
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
            /** The id of the notification, or of the page. */
            id: z.uuid(),
            devices: z.array(z.int()).min(1),
            /** Whether these are all deliveries of a page. The release before does not know it, and finds no deliveries. */
            isPage: z.boolean().optional(),
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
  /** Accepts the removals from phones of an organisation that wait for it. */
  'message.remove': z.object({ v: z.literal(1), realmId: z.int() }),
  'device.register': z.object({ v: z.literal(1), deviceId: z.int() }),
  /** Sends the changes of the phones of an account to the push service of another server. */
  'account.relay': z.object({ v: z.literal(1), userId: z.int() }),
} as const;

const deliveries = ['notification.deliver', 'remote.deliver'] as const;

/**
 * The jobs of push. Separate queues for each platform and lane, so that the outage of one provider does not affect the
 * others; one queue for control.
 */
export const pushJobs = {
  queues: {
    'push-apns': deliveries,
    'push-apns-bulk': deliveries,
    'push-fcm': deliveries,
    'push-fcm-bulk': deliveries,
    'push-web': deliveries,
    'push-web-bulk': deliveries,
    'push-control': [
      'account.logout',
      'account.relay',
      'device.register',
      'message.notify',
      'message.remove',
    ],
  },
  payloads,
  leastPriority: leastJobPriority,
} as const satisfies JobDeclaration;
export type PushJobs = typeof pushJobs;

export type QueueName = QueueNameOf<PushJobs>;
export const queueNames = Object.keys(pushJobs.queues) as readonly QueueName[];

export type JobName = JobNameOf<PushJobs>;
export type JobPayload<Name extends JobName> = PayloadOf<PushJobs, Name>;
/** A job of push to add. */
export type NewJob<Name extends JobName = JobName> = QueueJob<PushJobs, Name>;
export type JobContext = QueueJobContext<QueueName>;
/** Handles the jobs of push of one name. */
export type JobHandler<Name extends JobName = JobName> = QueueJobHandler<Name, JobPayload<Name>>;

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
