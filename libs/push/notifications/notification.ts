import { z } from 'zod';
import { deliveryStates, type NotificationKind } from '#push/jobs';
import type { Topic } from '#platform/redis';

/**
 * The content of a notification as the ledger stores it, by its kind. It holds ids and never the text of a message,
 * which is read when the notification is sent.
 */
export const notificationContent = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('test'),
    /** The time of the request, in UNIX seconds. */
    time: z.int(),
  }),
  z.object({
    kind: z.literal('message'),
    messageId: z.int(),
    trigger: z.enum(['direct', 'mention', 'group_mention', 'wildcard_mention', 'channel']),
    /** The group that was mentioned, for `group_mention`. */
    groupId: z.int().optional(),
    /** A reminder: the id of the notification in whose place phones show it. */
    replaces: z.uuid().optional(),
    /** After a quiet time another notification has drawn attention to this one already. */
    isPassive: z.boolean().optional(),
  }),
  z.object({ kind: z.literal('remove'), messageIds: z.array(z.int()).min(1) }),
  /** Asks a new subscription of Web Push for its confirmation; its device is the subscription. */
  z.object({ kind: z.literal('confirm') }),
]);

/** See notificationContent. */
export type NotificationContent = z.infer<typeof notificationContent>;

/** The key of a delivery, one notification to one device, or of a page. */
export interface DeliveryKey {
  /** The id of the page, if it is one. */
  readonly notificationId: string;
  /** 0 for a page. */
  readonly deviceId: number;
  /** The devices of a page; left out for one delivery. */
  readonly page?: readonly number[] | undefined;
}

/** After this number of failed attempts a delivery no longer blocks later ones to the same device. */
export const MAX_BLOCKING_ATTEMPTS = 5;

const deliveryResult = z.object({
  /** The previous release writes no version. */
  v: z.literal(1).default(1),
  /** By the id of the device. */
  states: z.record(z.string(), z.enum(deliveryStates)),
});

/** The states of a notification's deliveries after an attempt. */
export type DeliveryResult = z.infer<typeof deliveryResult>;

/** The reason of a delivery in plain text that waits until the push service has forgotten a removed phone of the account. */
export const AWAITS_REMOVAL = 'the push service has yet to forget a phone';

/** The topic on which a worker publishes the result of a notification that a gateway waits for. */
export const resultTopic = (notificationId: string): Topic<DeliveryResult> => ({
  name: `carillon:message:notification-${notificationId}`,
  source: 'notification',
  schema: deliveryResult,
});

/** How long a notification may wait before it is dropped rather than sent late, in milliseconds. */
export type TimeToLive = Readonly<Record<NotificationKind, number>>;

/** DI token of the TimeToLive. */
export const TIME_TO_LIVE = Symbol('TimeToLive');

/** As long as providers store a push for a phone that is switched off. */
const REMOVE_MS = 86_400_000;

/** An unconfirmed subscription of Web Push lives so long. */
export const CONFIRMATION_MS = 600_000;

/** The given time for tests and messages, a day for removals, and ten minutes for confirmations. */
export const timeToLiveOf = (milliseconds: number): TimeToLive => ({
  test: milliseconds,
  message: milliseconds,
  remove: REMOVE_MS,
  confirm: CONFIRMATION_MS,
});
