import { setTimeout as sleep } from 'node:timers/promises';
import { OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import { type BeforeApplicationShutdown, Logger, type Type } from '@nestjs/common';
import { DelayedError, type Job } from 'bullmq';
import type { QueueName } from '#contracts';
import { JobDispatcher } from './job-dispatcher.js';
import { JobQueues } from './job-queues.js';
import { WorkerRest } from './worker-rest.js';

/** How long a job may go without a sign of life from its worker before another one takes it over. */
const LOCK_MS = 10_000;
const STALLED_CHECK_MS = 5_000;
/** A job that outlived this many workers is still not the one at fault. */
const MOST_TAKEOVERS = 1_000_000;
const LONGEST_RECONNECT_MS = 1000;

/** How a queue is consumed. */
export interface ConsumedQueue {
  readonly name: QueueName;
  /** How many of its jobs run at the same time in this process. */
  readonly concurrency: number;
}

/** Makes the class that Nest's queue module turns into the worker of one queue. */
export function processorOf(queue: ConsumedQueue, redisUrl: string): Type<WorkerHost> {
  let isClosing = false;

  @Processor(queue.name, {
    // A worker waits for Redis as long as it takes: unlike a request, it has nothing else to do.
    connection: {
      url: redisUrl,
      maxRetriesPerRequest: null,
      // On the way down it stops waiting: else it would never close while Redis is away.
      retryStrategy: (attempt) =>
        isClosing ? null : Math.min(50 * 2 ** Math.min(attempt, 5), LONGEST_RECONNECT_MS),
    },
    concurrency: queue.concurrency,
    lockDuration: LOCK_MS,
    stalledInterval: STALLED_CHECK_MS,
    maxStalledCount: MOST_TAKEOVERS,
    // Left alone it rests for fifteen seconds after Redis was away, and holds a shutdown up as long.
    runRetryDelay: LONGEST_RECONNECT_MS,
  })
  class QueueProcessor extends WorkerHost implements BeforeApplicationShutdown {
    readonly #logger = new Logger(`Queue ${queue.name}`);
    #lastTrouble = '';
    readonly #rest = new WorkerRest(() => this.worker);

    constructor(
      private readonly dispatcher: JobDispatcher,
      private readonly queues: JobQueues,
    ) {
      super();
    }

    override async process(job: Job, lockToken?: string): Promise<void> {
      const received = { name: job.name, data: job.data, starts: job.attemptsStarted };
      const context = { queue: queue.name, jobId: job.id ?? '' };
      const outcome = await this.dispatcher.dispatch(received, context);
      if (outcome.restsUntil !== undefined) this.#rest.until(outcome.restsUntil);
      if (outcome.comesBackAt === undefined) return;
      await job.moveToDelayed(outcome.comesBackAt, lockToken);
      throw new DelayedError();
    }

    @OnWorkerEvent('error')
    onError(error: Error): void {
      // BullMQ repeats an error at each attempt to reconnect.
      if (error.message !== this.#lastTrouble) this.#logger.warn(error.message);
      this.#lastTrouble = error.message;
    }

    @OnWorkerEvent('active')
    onActive(): void {
      this.#lastTrouble = '';
    }

    /** Lets the running jobs end, before the shutdown of anything that they need. */
    async beforeApplicationShutdown(): Promise<void> {
      isClosing = true;
      this.#rest.end();
      const isRedisAway = await this.queues.ping().then(
        () => false,
        () => true,
      );
      // BullMQ does not get to close a connection that waits to be made again; this one gives up then.
      if (isRedisAway) await sleep(2 * LONGEST_RECONNECT_MS);
      await this.worker.close();
    }
  }
  return QueueProcessor;
}
