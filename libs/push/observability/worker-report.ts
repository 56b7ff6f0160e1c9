import { z } from 'zod';
import { platforms, queueNames } from '#push/jobs';
import { breakerName, type CircuitBreakers } from '#push/breakers';

const breakerReport = z.object({
  /** Names the credential without secrets: `apns:TEAM123456`, `fcm:chat-prod`. */
  key: z.string(),
  platform: z.enum(platforms),
  /** `half_open`: a few pushes are sent as a test. */
  state: z.enum(['closed', 'open', 'half_open']),
  /** Null while it is closed, like the next two. */
  cause: z.enum(['outage', 'throttled', 'misconfigured']).nullable(),
  /** The provider's or the transport's. */
  reason: z.string().nullable(),
  /** Since when it is not closed. */
  since: z.number().nullable(),
  /** When it becomes half-open; null unless it is open. */
  reopensAt: z.number().nullable(),
});

const pruneAlarm = z.object({
  /** Names the app: `apns:org.example.chat`, `fcm`, `fcm:fcm of server 5`. */
  key: z.string(),
  platform: z.enum(platforms),
  since: z.number(),
  /** The number of accounts with a dead token when the alarm was raised. */
  dead: z.int(),
  /** The number of accounts with an answer then. */
  answers: z.int(),
});

/** The shape of a report in Redis. */
export const workerReport = z.object({
  /** Random, made when the process starts. */
  id: z.string(),
  host: z.string(),
  pid: z.int(),
  version: z.string(),
  queues: z.array(z.enum(queueNames)),
  startedAt: z.number(),
  reportedAt: z.number(),
  /** Pushes that wait for a provider's answer. */
  inFlight: z.int(),
  /** When the oldest of them was sent; null when none waits. */
  oldestInFlightAt: z.partialRecord(z.enum(platforms), z.number().nullable()),
  breakers: z.array(breakerReport),
  pruneAlarms: z.array(pruneAlarm),
});

/** The circuit breaker of one credential, as a worker reports it. Times are UNIX milliseconds. */
export type BreakerReport = Readonly<z.infer<typeof breakerReport>>;

/** The report of a worker, every two seconds. Times are UNIX milliseconds. */
export type WorkerReport = Readonly<z.infer<typeof workerReport>>;

/** The breakers of this process, as it reports them. */
export const breakerReports = (breakers: Pick<CircuitBreakers, 'statuses'>): BreakerReport[] =>
  breakers.statuses().map(({ platform, credential, openedCount: _count, ...status }) => ({
    key: breakerName({ platform, credential, topic: null }),
    platform,
    ...status,
  }));
