import { hash } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { type PushJobs, type NewJob, platformQueue, type QueueName } from '#push/jobs';
import { groupBy, slicesOf } from '#platform/core';
import { JobQueues } from '#platform/queue';
import { LocalCounter } from '#platform/rate-limits';
import {
  DEVICES_PER_JOB,
  type Retry,
  retryJobs,
  routeOf,
  URGENT_PER_REALM,
} from '#push/notifications';
import type { AcceptedTenantDelivery } from './tenant-acceptance.repository.js';

const MAX_SERVERS = 10_000;

/** Deliveries of one server, to be put into the queues. */
interface AcceptedTenantBatch {
  readonly serverId: number;
  readonly deliveries: readonly AcceptedTenantDelivery[];
  /** Whether all of them may wait. */
  readonly isSilent: boolean;
  /** The topic of the results, if a request waits for them. */
  readonly requestId?: string | undefined;
}

/** A delivery without a job. */
export type OverdueTenantDelivery = AcceptedTenantDelivery &
  Pick<AcceptedTenantBatch, 'serverId' | 'isSilent'>;

/**
 * Puts the deliveries of servers into the queues of the platforms. Each server has its own share of the urgent lane, like an
 * organisation of this installation; the excess goes into the bulk lane, behind servers with less of it. A job is only a
 * wake-up: the sweeper adds lost ones again, so no method rejects.
 */
@Injectable()
export class TenantDeliveryQueue {
  readonly #logger = new Logger(TenantDeliveryQueue.name);
  readonly #ofServers = new LocalCounter(URGENT_PER_REALM, MAX_SERVERS);

  constructor(private readonly queues: JobQueues<PushJobs>) {}

  /** Resolves with false when Redis is down. */
  async enqueue({
    serverId,
    deliveries,
    isSilent,
    requestId,
  }: AcceptedTenantBatch): Promise<boolean> {
    const calls = deliveries.length;
    const { lane, priority } = routeOf(isSilent ? 'remove' : 'message', {
      devicesOfEvent: calls,
      devicesOfUser: 0,
      devicesOfRealm: this.#ofServers.consume(`${serverId}`, { calls }).consumedPoints,
    });
    const added = await Promise.all(
      [...groupBy(deliveries, ({ platform }) => platform)].map(([platform, group]) => {
        const ids = group.map(({ id }) => id);
        const jobs = jobsOf(ids, requestId).map((job) => ({
          ...job,
          ...(priority === undefined ? {} : { priority }),
        }));
        return this.#add(platformQueue(platform, lane), jobs);
      }),
    );
    return added.every(Boolean);
  }

  /** Adds delayed jobs to the queue that the deliveries came from. `now` is in UNIX milliseconds. */
  async enqueueRetries(
    queue: QueueName,
    retries: readonly Retry<number>[],
    { requestId, now }: { readonly requestId: string | undefined; readonly now: number },
  ): Promise<void> {
    const jobs = retryJobs(retries, now, (ids) => jobsOf(ids, requestId));
    await this.#add(queue, jobs);
  }

  /** Adds lost jobs again, those of each server within its share. Resolves with false when Redis is down. */
  async requeue(overdue: readonly OverdueTenantDelivery[]): Promise<boolean> {
    const batches = groupBy(overdue, ({ serverId, isSilent }) => `${serverId} ${isSilent}`);
    const added = await Promise.all(
      [...batches.values()].flatMap(([first, ...others]) =>
        first === undefined ? [] : this.enqueue({ ...first, deliveries: [first, ...others] }),
      ),
    );
    return added.every(Boolean);
  }

  async #add(queue: QueueName, jobs: readonly NewJob[]): Promise<boolean> {
    try {
      await this.queues.enqueueMany(queue, jobs);
      return true;
    } catch (error) {
      this.#logger.debug(`${jobs.length} jobs wait for the sweeper: ${String(error)}`);
      return false;
    }
  }
}

/** The id is a digest of the deliveries, so that a queue holds the same job once. */
const jobsOf = (
  ids: readonly number[],
  requestId: string | undefined,
): NewJob<'remote.deliver'>[] =>
  slicesOf(ids, DEVICES_PER_JOB).map((deliveries) => ({
    name: 'remote.deliver',
    jobId: `remote-${hash('sha256', deliveries.join(), 'base64url')}`,
    payload: { v: 1, deliveries, ...(requestId === undefined ? {} : { requestId }) },
  }));
