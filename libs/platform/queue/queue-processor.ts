import { OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import { type BeforeApplicationShutdown, Logger, type Type } from '@nestjs/common';
import { DelayedError, type Job, type Worker } from 'bullmq';
import { errorText, type OnSchemaReady, withinDeadline, WorkInFlight } from '#platform/core';
import {
  closeRedis,
  MAX_RECONNECT_MS,
  openQueueingRedisOrCluster,
  reconnectDelayMs,
  type RedisOrCluster,
} from '#platform/redis';
import type { JobDeclaration } from './job-declaration.js';
import { JobDispatcher } from './job-dispatcher.js';
import { JobQueues } from './job-queues.js';
import { WorkerErrors } from './worker-errors.js';

/** Another worker takes over a job whose lock was not renewed for this time. */
const LOCK_MS = 10_000;
const STALLED_CHECK_MS = 5_000;
/** A job is retried regardless of the number of workers that died during its run. */
const MAX_TAKEOVERS = 1_000_000;

/** After its running jobs, a worker ends within this time, unless Redis or a node of the cluster is lost meanwhile. */
const CLOSE_DEADLINE_MS = 3000;

/** How a queue is consumed. */
export interface ConsumedQueue<Name extends string = string> {
  readonly name: Name;
  /** The number of concurrent jobs in this process. */
  readonly concurrency: number;
}

/** The class that the BullMQ module of Nest turns into the worker of one queue. */
export function processorOf(queue: ConsumedQueue, redisUrls: readonly string[]): Type<WorkerHost> {
  const connection = new WorkerConnection(redisUrls);

  @Processor(queue.name, {
    connection: connection.redis,
    // When Redis rejects the database number, BullMQ would reconnect for ever without a delay.
    autorun: false,
    concurrency: queue.concurrency,
    lockDuration: LOCK_MS,
    stalledInterval: STALLED_CHECK_MS,
    maxStalledCount: MAX_TAKEOVERS,
    // The default of 15 s delays the restart after an outage of Redis, and the shutdown.
    runRetryDelay: MAX_RECONNECT_MS,
  })
  class QueueProcessor extends WorkerHost implements OnSchemaReady, BeforeApplicationShutdown {
    readonly #logger = new Logger(`Queue ${queue.name}`);
    readonly #errors = new WorkerErrors(this.#logger);
    readonly #jobsInFlight = new WorkInFlight();
    readonly #pause = new WorkerPause(() => this.worker);

    constructor(
      private readonly dispatcher: JobDispatcher,
      private readonly queues: JobQueues<JobDeclaration>,
    ) {
      super();
    }

    override async process(job: Job, lockToken?: string): Promise<void> {
      const received = { name: job.name, data: job.data, starts: job.attemptsStarted };
      const context = { queue: queue.name, jobId: job.id ?? '' };
      const handling = this.dispatcher.dispatch(received, context);
      const outcome = await this.#jobsInFlight.track(handling);
      if (outcome.pauseUntil !== undefined) this.#pause.until(outcome.pauseUntil);
      if (outcome.retryAt === undefined) return;
      await job.moveToDelayed(outcome.retryAt, lockToken);
      throw new DelayedError();
    }

    @OnWorkerEvent('error')
    onError(error: Error): void {
      this.#errors.note(error);
    }

    @OnWorkerEvent('active')
    onActive(): void {
      this.#errors.reset();
    }

    /** Starts the worker when Redis is ready too; the program does not wait for it. */
    onSchemaReady(): void {
      const ended = connection.whenReady(() => this.worker.run());
      ended.catch((error: unknown) => this.#logger.error(errorText(error)));
    }

    /** Waits for running jobs before the shutdown of their dependencies. */
    async beforeApplicationShutdown(): Promise<void> {
      connection.giveUp();
      this.#pause.end();
      const isRedisDown = !(await this.queues.canReach([queue.name]));
      // BullMQ would wait for Redis, even for ever: the closed client of a cluster may keep a command that it neither repeats
      // nor rejects. Other workers take over what Redis does not learn.
      if (isRedisDown) await this.#jobsInFlight.settled();
      const isLost = !(await closesInTime(this.worker.close(isRedisDown), this.#jobsInFlight));
      if (isLost) abandon(this.worker, this.#logger);
      await connection.close(isRedisDown || isLost);
    }
  }
  return QueueProcessor;
}

function abandon(worker: Worker, logger: Logger): void {
  logger.warn(
    'Redis was lost during the shutdown: other workers take over the jobs whose end was not recorded',
  );
  // Nest closes the worker once more, and would wait for the same commands.
  worker.close = () => Promise.resolve();
}

/** Resolves with false when only Redis prevents the close of a worker: its last commands are abandoned. */
async function closesInTime(closing: Promise<void>, jobsInFlight: WorkInFlight): Promise<boolean> {
  const closed = closing.then(() => true);
  let hasClosed: boolean;
  do {
    await jobsInFlight.settled();
    hasClosed = await withinDeadline(CLOSE_DEADLINE_MS, closed, () => false);
    // A job may have begun after the others have ended.
  } while (!hasClosed && !jobsInFlight.isIdle);
  return hasClosed;
}

/**
 * The connection of one BullMQ worker. It waits for Redis without a limit. BullMQ duplicates it, and closes only the
 * duplicate.
 */
class WorkerConnection {
  readonly redis: RedisOrCluster;
  #isGivenUp = false;

  constructor(urls: readonly string[]) {
    this.redis = openQueueingRedisOrCluster(urls, 'worker', (attempt) =>
      this.#isGivenUp ? null : reconnectDelayMs(attempt),
    );
  }

  /** Runs the work when Redis is ready; does nothing after `giveUp`. */
  async whenReady(work: () => Promise<void>): Promise<void> {
    if (this.redis.status !== 'ready') {
      await new Promise<void>((resolve) => {
        this.redis.once('ready', resolve).once('end', resolve);
      });
    }
    if (!this.#isGivenUp) await work();
  }

  /** Ends the reconnects, which would prevent the close of the connection during an outage. */
  giveUp(): void {
    this.#isGivenUp = true;
  }

  /** Commands without a response are abandoned while Redis is down. */
  async close(isRedisDown: boolean): Promise<void> {
    if (isRedisDown) this.redis.disconnect();
    else await closeRedis(this.redis);
  }
}

/** The longest pause: other jobs may have arrived. */
const MAX_PAUSE_MS = 60_000;

/** Pauses the worker of this process while its jobs cannot succeed; they stay in the queue. */
class WorkerPause {
  #timer: NodeJS.Timeout | undefined;
  #isEnded = false;

  constructor(private readonly workerOf: () => Worker) {}

  /** Pauses until a time in UNIX milliseconds, for at most a minute. */
  until(time: number): void {
    if (this.#timer !== undefined || this.#isEnded) return;
    void this.workerOf().pause(true);
    this.#timer = setTimeout(() => this.#resume(), Math.min(time - Date.now(), MAX_PAUSE_MS));
  }

  /** Ends the pauses, before the worker closes. */
  end(): void {
    this.#isEnded = true;
    clearTimeout(this.#timer);
  }

  #resume(): void {
    this.#timer = undefined;
    this.workerOf().resume();
  }
}
