import { z } from 'zod';
import type { JobDeclaration, QueueNameOf } from './job-declaration.js';

/** The jobs of a post office, for the tests of queues. */
export const letterJobs = {
  queues: {
    letters: ['letter.deliver', 'letter.return'],
    'letters-bulk': ['letter.deliver', 'letter.return'],
    parcels: ['letter.deliver', 'letter.return'],
    'parcels-bulk': ['letter.deliver', 'letter.return'],
    office: ['address.forget', 'address.change'],
  },
  payloads: {
    'letter.deliver': z.object({ v: z.literal(2), items: z.array(z.unknown()) }),
    'letter.return': z.object({ v: z.literal(1) }),
    'address.change': z.object({ v: z.literal(1) }),
    'address.forget': z.object({ v: z.literal(1), id: z.int() }),
  },
  leastPriority: 20,
} as const satisfies JobDeclaration;

export type LetterJobs = typeof letterJobs;
export type LetterQueue = QueueNameOf<LetterJobs>;
export const letterQueues = Object.keys(letterJobs.queues) as readonly LetterQueue[];
