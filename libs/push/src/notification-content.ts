import { z } from 'zod';

/** What a notification says, by its kind, as the ledger keeps it. */
export const notificationContent = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('test'),
    /** When it was asked for, in UNIX seconds. */
    time: z.int(),
  }),
]);

export type NotificationContent = z.infer<typeof notificationContent>;
