import { z } from 'zod';
import { deliveryStates } from '#contracts';
import type { Topic } from '#queue';

const deliverResult = z.object({
  /** The previous release writes no version. */
  v: z.literal(1).default(1),
  /** By the id of the device. */
  states: z.record(z.string(), z.enum(deliveryStates)),
});

/** The states of the devices that were tried. */
export type DeliverResult = z.infer<typeof deliverResult>;

/** The topic on which a worker tells what came of a notification that somebody waits for. */
export const heardOf = (notificationId: string): Topic<DeliverResult> => ({
  name: `notification-${notificationId}`,
  source: 'notification',
  schema: deliverResult,
});
