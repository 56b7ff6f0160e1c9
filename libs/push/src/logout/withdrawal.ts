import { z } from 'zod';

/** What workers are told the moment that an account has a new API key. */
export const withdrawal = z.object({
  outboxId: z.string(),
  userId: z.int(),
  /** Devices of older keys are not to be sent to any more. */
  keyGeneration: z.int(),
});

/** The topic that workers follow. */
export const WITHDRAWALS = 'withdrawals';

/** The topic on which they say that they have heard it. */
export const heardTopic = (outboxId: string): string => `withdrawal-heard-${outboxId}`;
