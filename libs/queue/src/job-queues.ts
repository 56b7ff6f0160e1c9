import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Job, Queue } from 'bullmq';
import { type JobName, type JobPayload, leastJobPriority, type QueueName } from '#contracts';
import { closeRedis, type Redis } from '#redis';
import type { QueueOptions } from './queue-options.js';

/** BullMQ's queues by their names. */
export type Queues = Readonly<Record<QueueName, Queue>>;

/** DI token of the Queues. */
export const QUEUES = Symbol('Queues');

/** What to do, and under which id: a job whose id is still in the queue is not added again. */
export interface NewJob<Name extends JobName = JobName> {
  readonly name: Name;
  readonly payload: JobPayload<Name>;
  /** Without a colon. */
  readonly jobId: string;
  readonly delayMs?: number;
  /** From 1, the most urgent, to `leastJobPriority`; a job without one goes before all that have one. */
  readonly priority?: number;
}

/**
 * Nobody sees a job before all that are added with it are there, and nothing else happens in this process while they are
 * made ready: some 0.3 ms each. So workers begin with the first of many meanwhile.
 */
const MOST_ADDED_AT_ONCE = 20;

const PRIORITIES = Array.from({ length: leastJobPriority }, (_, index) => index + 1);

/** How many jobs a queue holds. */
export interface QueueCounts {
  readonly waiting: number;
  readonly delayed: number;
  readonly active: number;
}

/**
 * Puts jobs into the queues. Every method rejects within a second or so when Redis is away.
 *
 * A job is a wake-up and nothing more: what must not be lost is in PostgreSQL, from where a sweeper
 * adds its job again. So jobs leave no trace when they end, and their ids are free again.
 */
@Injectable()
export class JobQueues implements OnApplicationShutdown {
  constructor(
    private readonly queues: Queues,
    private readonly redis: Redis,
    private readonly options: QueueOptions,
  ) {
    // The connection reports its own troubles, once; unheard here they would be thrown.
    for (const queue of Object.values(this.queues)) queue.on('error', () => undefined);
  }

  async enqueue<Name extends JobName>(queue: QueueName, job: NewJob<Name>): Promise<void> {
    await this.queues[queue].add(job.name, job.payload, optionsOf(job));
  }

  /** Adds them in their order, a round trip for each twenty. When it rejects, some may have been added. */
  async enqueueMany(queue: QueueName, jobs: readonly NewJob[]): Promise<void> {
    const [only, ...others] = jobs;
    if (only === undefined) return;
    // Adding in bulk has a price of its own, which a single job need not pay.
    if (others.length === 0) return this.enqueue(queue, only);
    for (let start = 0; start < jobs.length; start += MOST_ADDED_AT_ONCE) {
      const some = jobs.slice(start, start + MOST_ADDED_AT_ONCE);
      await this.queues[queue].addBulk(
        some.map((job) => ({ name: job.name, data: job.payload, opts: optionsOf(job) })),
      );
    }
  }

  async counts(queue: QueueName): Promise<QueueCounts> {
    const counts = await this.queues[queue].getJobCounts(
      'wait',
      'prioritized',
      'delayed',
      'active',
    );
    return {
      waiting: (counts['wait'] ?? 0) + (counts['prioritized'] ?? 0),
      delayed: counts['delayed'] ?? 0,
      active: counts['active'] ?? 0,
    };
  }

  /** How long the job that has waited longest has waited, in milliseconds; null when none waits. */
  async oldestWaitingMs(queue: QueueName): Promise<number | null> {
    const [waiting, places] = await Promise.all([
      this.#jobAt(queue, 'wait', 0),
      this.#firstOfPriorities(queue),
    ]);
    const prioritized = await Promise.all(
      places.map((place) => this.#jobAt(queue, 'prioritized', place)),
    );
    // What was put off has waited since it was to come.
    const times = [waiting, ...prioritized]
      .flat()
      .map(({ timestamp, opts }) => timestamp + (opts.delay ?? 0));
    return times.length === 0 ? null : Math.max(0, Date.now() - Math.min(...times));
  }

  /** Jobs of one priority wait in their order, and behind all of a higher one: the places where each begins. */
  async #firstOfPriorities(queue: QueueName): Promise<number[]> {
    const counts = await this.queues[queue].getCountsPerPriority(PRIORITIES);
    const places: number[] = [];
    let place = 0;
    for (const priority of PRIORITIES) {
      const count = counts[priority] ?? 0;
      if (count > 0) places.push(place);
      place += count;
    }
    return places;
  }

  /** None when jobs were taken meanwhile. */
  #jobAt(queue: QueueName, state: 'wait' | 'prioritized', place: number): Promise<Job[]> {
    return this.queues[queue].getJobs([state], place, place, true);
  }

  /** No worker of any process takes a job of this queue any more, until it is resumed. */
  async pause(queue: QueueName): Promise<void> {
    await this.queues[queue].pause();
  }

  async resume(queue: QueueName): Promise<void> {
    await this.queues[queue].resume();
  }

  isPaused(queue: QueueName): Promise<boolean> {
    return this.queues[queue].isPaused();
  }

  /** Whether Redis has lost everything since this was last asked, by whomever. Says so once. */
  async haveBeenLost(): Promise<boolean> {
    return (await this.redis.set(`${this.options.prefix}:queues-are-here`, 1, 'NX')) !== null;
  }

  /** Resolves when Redis answers; rejects when it does not. */
  async ping(): Promise<void> {
    await this.redis.ping();
  }

  async onApplicationShutdown(): Promise<void> {
    await closeRedis(this.redis);
  }
}

const optionsOf = (job: NewJob) => ({
  jobId: job.jobId,
  removeOnComplete: true,
  removeOnFail: true,
  ...(job.delayMs === undefined ? {} : { delay: job.delayMs }),
  ...(job.priority === undefined ? {} : { priority: job.priority }),
});
