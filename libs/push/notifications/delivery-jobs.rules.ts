import { createHash } from 'node:crypto';
import type { RateRule } from '#platform/config';
import {
  type JobPayload,
  leastJobPriority,
  type NotificationKind,
  type PushLane,
} from '#push/jobs';
import { groupBy } from '#platform/core';
import { DEVICES_PER_PAGE } from './pages/page.rules.js';

/** Devices that one account may notify in the urgent lane. */
export const URGENT_PER_USER: RateRule = { calls: 200, seconds: 1 };
/**
 * Devices that one organisation may notify there: 1,000 a second, in short windows, because the notifications of others
 * wait behind those of a window.
 */
export const URGENT_PER_REALM: RateRule = { calls: 200, seconds: 0.2 };
/** Devices that one event may notify there: a single recipient of a large fan-out can wait. */
export const URGENT_PER_EVENT = 200;

/** BullMQ's most urgent priority; jobs without a priority go before it. */
const FIRST_PRIORITY = 1;

/** Devices notified lately, including those to route now. */
interface RecentLoad {
  /** Those to route now, and those of the same event before them. */
  readonly devicesOfEvent: number;
  /** Those of the window of URGENT_PER_USER. */
  readonly devicesOfUser: number;
  /** Those of the window of URGENT_PER_REALM. */
  readonly devicesOfRealm: number;
}

/** The lane of a job, and its priority there: a lower number goes first. */
interface QueueRoute {
  readonly lane: PushLane;
  readonly priority?: number;
}

/**
 * Chooses the lane of a notification. Tests and messages are urgent up to the share of their event, account and
 * organisation, so that a fan-out or a storm does not delay others. The excess goes into the bulk lane, with a
 * lower priority the more there is of it. Removals always go into the bulk lane.
 */
export function routeOf(
  kind: NotificationKind,
  { devicesOfEvent, devicesOfUser, devicesOfRealm }: RecentLoad,
): QueueRoute {
  const excess = Math.max(
    devicesOfEvent / URGENT_PER_EVENT,
    devicesOfUser / URGENT_PER_USER.calls,
    devicesOfRealm / URGENT_PER_REALM.calls,
  );
  if (kind !== 'remove' && excess <= 1) return { lane: 'urgent' };
  const steps = Math.max(0, Math.ceil(Math.log2(excess)));
  return { lane: 'bulk', priority: Math.min(FIRST_PRIORITY + steps, leastJobPriority) };
}

/** A job for each notification would cost more than sending it; one for each device far more. */
export const DEVICES_PER_JOB = DEVICES_PER_PAGE;

/** Retries that are due within this time of each other share a job. */
const RETRY_GRAIN_MS = 50;

/** A delivery that is to be tried again. */
export interface Retry<Key> {
  readonly key: Key;
  /** UNIX milliseconds. */
  readonly at: number;
}

/** Delayed jobs of retries; `jobsFor` makes the jobs of some of them. `now` is in UNIX milliseconds. */
export const retryJobs = <Key, Job extends { readonly jobId: string }>(
  retries: readonly Retry<Key>[],
  now: number,
  jobsFor: (keys: readonly Key[]) => readonly Job[],
) =>
  [...groupBy(retries, ({ at }) => Math.ceil(at / RETRY_GRAIN_MS))].flatMap(([grain, group]) => {
    const at = Math.max(grain * RETRY_GRAIN_MS, now);
    // The present job may have the same deliveries, and is still in the queue.
    return jobsFor(group.map(({ key }) => key)).map((job) => ({
      ...job,
      jobId: `${job.jobId}-${at}`,
      delayMs: at - now,
    }));
  });

/** A notification and devices to send it to, or a page. */
export interface DeliveryItem {
  readonly id: string;
  readonly devices: readonly number[];
  readonly isPage?: boolean | undefined;
  /** Whether a gateway waits for the result. */
  readonly isAwaited?: boolean | undefined;
}

/** Packs items into jobs in their order, and splits items that are too large, but no page. */
export function jobsOf(items: readonly DeliveryItem[]): DeliveryItem[][] {
  const jobs: DeliveryItem[][] = [];
  let room = 0;
  for (const item of items) {
    let rest = item.devices;
    if (item.isPage === true && rest.length > room) room = 0;
    while (rest.length > 0) {
      if (room === 0) {
        jobs.push([]);
        room = DEVICES_PER_JOB;
      }
      const devices = rest.slice(0, room);
      jobs.at(-1)?.push({ ...item, devices });
      rest = rest.slice(devices.length);
      room -= devices.length;
    }
  }
  return jobs;
}

/** The job of some items. The id is a digest of them, so that a queue holds the same items once. */
export function deliveryJob(items: readonly DeliveryItem[]) {
  const digest = createHash('sha256');
  for (const { id, devices } of items) digest.update(`${id}:${devices.join()};`);
  const payload: JobPayload<'notification.deliver'> = {
    v: 2,
    items: items.map(({ id, devices, isPage, isAwaited }) => ({
      id,
      devices: [...devices],
      ...(isPage === true ? { isPage } : {}),
      ...(isAwaited === true ? { isAwaited } : {}),
    })),
  };
  return { name: 'notification.deliver' as const, jobId: digest.digest('base64url'), payload };
}
