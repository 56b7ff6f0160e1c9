import { z } from 'zod';

/** The events of one gateway, as it reports them. Times are UNIX milliseconds. */
export const gatewayReport = z.object({
  id: z.string(),
  host: z.string(),
  pid: z.int(),
  startedAt: z.number(),
  reportedAt: z.number(),
  heldPolls: z.int(),
  /** The organisations whose newest events it keeps, and these events. */
  windows: z.object({ organisations: z.int(), events: z.int(), bytes: z.int() }),
  /** Since the report of a minute ago. */
  lastMinute: z.object({
    polls: z.int(),
    delivered: z.int(),
    readFromLog: z.int(),
    overflowed: z.int(),
    /** The time from the storage of events to the answers; the upper end of a bucket. Null without an answer. */
    lagMs: z.object({ median: z.number(), p99: z.number() }).nullable(),
  }),
});

export type GatewayReport = z.infer<typeof gatewayReport>;
