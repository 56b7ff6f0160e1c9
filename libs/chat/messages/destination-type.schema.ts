import { z } from 'zod';

/** Whether a message is for people or for a channel; `private` and `stream` are the older names. */
export const destinationType = z.enum(['direct', 'channel', 'private', 'stream']);

/** The kind of destination that a type means. */
export const destinationKindOf = (type: z.infer<typeof destinationType>): 'channel' | 'direct' =>
  type === 'channel' || type === 'stream' ? 'channel' : 'direct';
