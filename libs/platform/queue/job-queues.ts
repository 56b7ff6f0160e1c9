import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Job, Queue } from 'bullmq';
import { slicesOf } from '#platform/core';
import { closeRedis, orOutage, type RedisOrCluster } from '#platform/redis';
import type { JobDeclaration, JobNameOf, PayloadOf, QueueNameOf } from './job-declaration.js';
import { type QueueOptions, queueKeyPrefix } from './queue-options.js';

/** BullMQ's queues by their names. */
export type Queues<Jobs extends JobDeclaration = JobDeclaration> = Readonly<
  Record<QueueNameOf<Jobs>, Queue>
>;

/** DI token of the Queues. */
export const QUEUES = Symbol('Queues');

/** A job to add. A job whose id is still in the queue is not added again. */
export interface NewJob<Jobs extends JobDeclaration, Name extends JobNameOf<Jobs>> {
  readonly name: Name;
  readonly payload: PayloadOf<Jobs, Name>;
  /** Without a colon. */
  readonly jobId: string;
  readonly delayMs?: number;
  /** From 1, the most urgent, to the least priority of the declaration; jobs without one precede all others. */
  readonly priority?: number;
}

/**
 * The jobs of a batch become visible together, and each blocks the event loop for about 0.3 ms. With small batches workers
 * start before all jobs are added.
 */
const JOBS_PER_ROUND_TRIP = 20;

/** A script, because BullMQ needs EVAL, which the user of Redis may lack. */
const EXISTS = `return redis.call('exists', KEYS[1])`;

/** A script for the same reason. */
const WRITE = `return redis.call('set', KEYS[1], 1, 'PX', ARGV[1])`;
const WRITTEN_LIFE_MS = 60_000;

/** How many jobs a queue holds. */
export interface QueueCounts {
  readonly waiting: number;
  readonly delayed: number;
  readonly active: number;
}

/**
 * Puts jobs into the queues. Every method rejects within a second or so when Redis is down.
 *
 * A job is only a wake-up: its data is in PostgreSQL, from where the sweeper adds lost jobs again. Therefore finished jobs
 * are removed, and their ids can be reused.
 */
@Injectable()
export class JobQueues<Jobs extends JobDeclaration> implements OnApplicationShutdown {
  readonly #names: readonly QueueNameOf<Jobs>[];
  readonly #priorities: readonly number[];

  constructor(
    private readonly queues: Queues<Jobs>,
    private readonly redis: RedisOrCluster,
    private readonly options: Pick<QueueOptions, 'prefix'> & Pick<JobDeclaration, 'leastPriority'>,
  ) {
    this.#priorities = Array.from({ length: options.leastPriority }, (_, index) => index + 1);
    this.#names = Object.keys(queues) as QueueNameOf<Jobs>[];
    // The connection logs its own errors; without a listener here they would be thrown.
    for (const queue of Object.values<Queue>(queues)) queue.on('error', () => undefined);
  }

  /** Adds a job; one with the id of an existing job is ignored. */
  async enqueue<Name extends JobNameOf<Jobs>>(
    queue: QueueNameOf<Jobs>,
    job: NewJob<Jobs, Name>,
  ): Promise<void> {
    await this.queues[queue].add(job.name, job.payload, optionsOf(job));
  }

  /** Adds jobs in their order, twenty per round trip. When it rejects, some jobs may have been added. */
  async enqueueMany(
    queue: QueueNameOf<Jobs>,
    jobs: readonly NewJob<Jobs, JobNameOf<Jobs>>[],
  ): Promise<void> {
    const [only, ...others] = jobs;
    if (only === undefined) return;
    // addBulk costs more than add for a single job.
    if (others.length === 0) return this.enqueue(queue, only);
    for (const some of slicesOf(jobs, JOBS_PER_ROUND_TRIP)) {
      await this.queues[queue].addBulk(
        some.map((job) => ({ name: job.name, data: job.payload, opts: optionsOf(job) })),
      );
    }
  }

  /** The numbers of jobs of a queue, by state. */
  async counts(queue: QueueNameOf<Jobs>): Promise<QueueCounts> {
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

  /** The age of the oldest waiting job in milliseconds; null without waiting jobs. */
  async oldestWaitingMs(queue: QueueNameOf<Jobs>): Promise<number | null> {
    const [waiting, places] = await Promise.all([
      this.#jobAt(queue, 'wait', 0),
      this.#firstOfPriorities(queue),
    ]);
    const prioritized = await Promise.all(
      places.map((place) => this.#jobAt(queue, 'prioritized', place)),
    );
    // A delayed job has waited since it was due.
    const times = [waiting, ...prioritized]
      .flat()
      .map(({ timestamp, opts }) => timestamp + (opts.delay ?? 0));
    return times.length === 0 ? null : Math.max(0, Date.now() - Math.min(...times));
  }

  /** The positions of the first job of each priority: jobs are ordered by priority, then by age. */
  async #firstOfPriorities(queue: QueueNameOf<Jobs>): Promise<number[]> {
    const counts = await this.queues[queue].getCountsPerPriority([...this.#priorities]);
    const places: number[] = [];
    let place = 0;
    for (const priority of this.#priorities) {
      const count = counts[priority] ?? 0;
      if (count > 0) places.push(place);
      place += count;
    }
    return places;
  }

  /** Empty if workers took jobs in between. */
  #jobAt(queue: QueueNameOf<Jobs>, state: 'wait' | 'prioritized', place: number): Promise<Job[]> {
    return this.queues[queue].getJobs([state], place, place, true);
  }

  /** Stops all workers of all processes from taking jobs of this queue until `resume`. */
  async pause(queue: QueueNameOf<Jobs>): Promise<void> {
    await this.queues[queue].pause();
  }

  /** Lets the workers take jobs of this queue again. */
  async resume(queue: QueueNameOf<Jobs>): Promise<void> {
    await this.queues[queue].resume();
  }

  /** Whether the queue is paused. */
  isPaused(queue: QueueNameOf<Jobs>): Promise<boolean> {
    return this.queues[queue].isPaused();
  }

  /**
   * Whether Redis, or a node of the cluster, has lost its data since the last call of any process. It sets the marker keys
   * again, so that only one caller receives true. Rejects when Redis is down.
   */
  async claimRedisReset(): Promise<boolean> {
    const marked = await Promise.allSettled(
      this.#markersOf(this.#names).map((marker) => this.redis.set(marker, 1, 'NX')),
    );
    if (marked.some((result) => result.status === 'fulfilled' && result.value !== null))
      return true;
    const failed = marked.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return false;
  }

  /** Resolves when the Redis of these queues answers, or each of their nodes; rejects when one does not. */
  async ping(queues: readonly QueueNameOf<Jobs>[] = this.#names): Promise<void> {
    await orOutage(
      this.redis,
      Promise.all(this.#markersOf(queues).map((marker) => this.redis.eval(EXISTS, 1, marker))),
    );
  }

  /** Like `ping`; also rejects when Redis answers and refuses writes: it is full, or a replica. */
  async checkWrites(queues: readonly QueueNameOf<Jobs>[]): Promise<void> {
    await orOutage(
      this.redis,
      Promise.all(
        this.#markersOf(queues).map((marker) =>
          this.redis.eval(WRITE, 1, `${marker}:written`, WRITTEN_LIFE_MS),
        ),
      ),
    );
  }

  /** Like `ping`, within about a second, with the answer as a value. */
  async canReach(queues: readonly QueueNameOf<Jobs>[]): Promise<boolean> {
    return this.ping(queues).then(
      () => true,
      () => false,
    );
  }

  /** One for each part of the queues that can be lost alone. */
  #markersOf(queues: readonly QueueNameOf<Jobs>[]): readonly string[] {
    const { prefix } = this.options;
    if (!this.redis.isCluster) return [`${prefix}:queues-are-here`];
    return queues.map((name) => `${queueKeyPrefix(prefix, name)}:queue-is-here`);
  }

  async onApplicationShutdown(): Promise<void> {
    await closeRedis(this.redis);
  }
}

const optionsOf = (job: Omit<NewJob<JobDeclaration, string>, 'payload'>) => ({
  jobId: job.jobId,
  removeOnComplete: true,
  removeOnFail: true,
  ...(job.delayMs === undefined ? {} : { delay: job.delayMs }),
  ...(job.priority === undefined ? {} : { priority: job.priority }),
});
