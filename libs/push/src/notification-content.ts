import { z } from 'zod';

/**
 * What a notification is about, by its kind, as the ledger keeps it. It names rows and never holds what a
 * message says: that is read when it is sent.
 */
export const notificationContent = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('test'),
    /** When it was asked for, in UNIX seconds. */
    time: z.int(),
  }),
  z.object({
    kind: z.literal('message'),
    messageId: z.int(),
    trigger: z.enum(['direct', 'mention', 'group_mention', 'wildcard_mention', 'channel']),
    /** The group that was mentioned, for `group_mention`. */
    groupId: z.int().optional(),
  }),
  z.object({ kind: z.literal('remove'), messageIds: z.array(z.int()).min(1) }),
]);

export type NotificationContent = z.infer<typeof notificationContent>;
