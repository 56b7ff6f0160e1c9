import { z } from 'zod';

const legacyStatus = z.object({
  client: z.literal('website'),
  status: z.enum(['idle', 'active']),
  timestamp: z.int(),
});

/** One user's presence in the legacy format. */
export const legacyEntry = z.object({
  aggregated: legacyStatus,
  website: legacyStatus.extend({ pushable: z.literal(false) }),
});
