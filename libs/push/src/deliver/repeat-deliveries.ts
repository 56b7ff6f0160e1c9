import { Injectable, Logger } from '@nestjs/common';
import { type QueueName } from '#contracts';
import { groupBy } from '#core';
import { JobQueues } from '#queue';
import { deliveryJob, jobsOf } from '../accept/delivery-jobs.rules.js';
import type { DeliveryKey } from './delivery.repository.js';

/** What comes back within so many milliseconds of each other shares a job. */
const GRAIN_MS = 50;

/** A delivery that is to be tried again, from `until` on (UNIX milliseconds). */
export interface Repetition extends DeliveryKey {
  readonly until: number;
}

/** Puts what is to be tried again back into its queue, to come when it is due. */
@Injectable()
export class RepeatDeliveries {
  readonly #logger = new Logger(RepeatDeliveries.name);

  constructor(private readonly queues: JobQueues) {}

  /** Never rejects: the sweeper does it for what did not get in. */
  async execute(queue: QueueName, repetitions: readonly Repetition[], now: number): Promise<void> {
    if (repetitions.length === 0) return;
    const jobs = [...groupBy(repetitions, ({ until }) => Math.ceil(until / GRAIN_MS))].flatMap(
      ([grain, group]) => {
        const at = Math.max(grain * GRAIN_MS, now);
        return jobsOf(itemsOf(group)).map((items) => {
          const { jobId, ...job } = deliveryJob(items);
          // The job that asks for this may be of the same items, and is still in the queue.
          return { ...job, jobId: `${jobId}-${at}`, delayMs: at - now };
        });
      },
    );
    try {
      await this.queues.enqueueMany(queue, jobs);
    } catch (error) {
      this.#logger.debug(`${repetitions.length} deliveries wait for the sweeper: ${String(error)}`);
    }
  }
}

const itemsOf = (keys: readonly DeliveryKey[]) =>
  [...groupBy(keys, ({ notificationId }) => notificationId)].map(([id, group]) => ({
    id,
    devices: group.map(({ deviceId }) => deviceId),
  }));
