import { z } from 'zod';
import type { Topic } from '#queue';

/** The previous release writes no version. */
const version = z.literal(1).default(1);

const withdrawal = z.object({
  v: version,
  outboxId: z.string(),
  userId: z.int(),
  /** Devices of older keys are not to be sent to any more. */
  keyGeneration: z.int(),
});

/** What workers are told the moment that an account has a new API key. */
export type Withdrawal = z.infer<typeof withdrawal>;

/** The topic that workers follow. */
export const withdrawals: Topic<Withdrawal> = {
  name: 'withdrawals',
  source: 'withdrawals',
  schema: withdrawal,
};

const heard = z.object({ v: version });

/** The topic on which they say that they have heard it. */
export const heardTopic = (outboxId: string): Topic<z.infer<typeof heard>> => ({
  name: `withdrawal-heard-${outboxId}`,
  source: 'withdrawal-heard',
  schema: heard,
});
