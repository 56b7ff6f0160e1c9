import { type Platform, platformQueue, pushLanes } from '#platform/contracts';
import type { JobQueues } from '#platform/queue';

/** A delivery behind others is not lost: a job may be late by twice the age of the oldest one. */
const GRACE_PER_AGE = 2;

/**
 * How long a delivery of a platform may be overdue before its job counts as lost: `usualMs`, and more while jobs wait in
 * the queues of the platform. All in milliseconds. Rejects when Redis is down.
 */
export async function gracePeriodOf(
  platform: Platform,
  usualMs: number,
  queues: JobQueues,
): Promise<number> {
  const ages = await Promise.all(
    pushLanes.map((lane) => queues.oldestWaitingMs(platformQueue(platform, lane))),
  );
  return usualMs + GRACE_PER_AGE * Math.max(...ages.map((age) => age ?? 0));
}
