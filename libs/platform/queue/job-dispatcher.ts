import { Injectable, Logger } from '@nestjs/common';
import { type Backoff, backoffMs, counted, errorText, isOutage, Sampler } from '#platform/core';
import type { UnreadableMessages } from '#platform/redis';
import type { JobDeclaration } from './job-declaration.js';

/** The queue and the id of a job. */
export interface JobContext<Queue extends string = string> {
  readonly queue: Queue;
  readonly jobId: string;
}

/** The result of a job for the queue. */
export interface JobOutcome {
  /** The time of the next run in UNIX milliseconds, without a limit on retries; without it the job is done. */
  readonly retryAt?: number;
  /** This process takes no job of the queue until this time, in UNIX milliseconds. */
  readonly pauseUntil?: number;
}

/**
 * Handles the jobs of one name.
 *
 * A handler that rejects is called again with growing delays and without a limit, so it must be idempotent. It records
 * work that cannot succeed instead of throwing.
 */
export interface JobHandler<Name extends string = string, Payload = unknown> {
  readonly jobName: Name;
  handle(payload: Payload, context: JobContext): Promise<JobOutcome>;
}

/** The handlers of a program do not match the queues that it consumes. */
class HandlerMismatch extends Error {
  override readonly name = 'HandlerMismatch';
}

/**
 * Maps each job name of the consumed queues to its handler.
 * Throws HandlerMismatch when a name has no handler or two, or when a handler is for a name of no consumed queue.
 */
export function handlerTable(
  { queues: jobsOfQueues }: Pick<JobDeclaration, 'queues'>,
  queues: readonly string[],
  handlers: readonly JobHandler[],
): ReadonlyMap<string, JobHandler> {
  const expected = new Set(queues.flatMap((queue) => jobsOfQueues[queue] ?? []));
  const table = new Map<string, JobHandler>();
  for (const handler of handlers) {
    if (table.has(handler.jobName))
      throw new HandlerMismatch(`Two handlers for ${handler.jobName}`);
    if (!expected.has(handler.jobName)) {
      throw new HandlerMismatch(`${handler.jobName} is in no queue that this program consumes`);
    }
    table.set(handler.jobName, handler);
  }
  for (const name of expected) {
    if (!table.has(name)) throw new HandlerMismatch(`No handler for ${name}`);
  }
  return table;
}

const RETRY: Backoff = { firstMs: 1000, maxMs: 60_000 };

/** A job from the queue before validation. */
interface ReceivedJob {
  readonly name: string;
  readonly data: unknown;
  /** The number of starts, this one included. */
  readonly starts: number;
}

/** Parses jobs and calls their handlers. */
@Injectable()
export class JobDispatcher {
  readonly #logger = new Logger(JobDispatcher.name);
  /** An outage affects every job. */
  readonly #outages = new Sampler();

  constructor(
    private readonly payloads: JobDeclaration['payloads'],
    private readonly handlers: ReadonlyMap<string, JobHandler>,
    private readonly unreadable: Pick<UnreadableMessages, 'recordDropped'>,
  ) {}

  /** Never rejects: an unreadable job is dropped, a failed one is retried. */
  async dispatch(job: ReceivedJob, context: JobContext): Promise<JobOutcome> {
    const handler = this.handlers.get(job.name);
    const payload = handler && this.payloads[handler.jobName]?.safeParse(job.data);
    if (handler === undefined || !payload?.success) {
      this.unreadable.recordDropped(context.queue);
      return {};
    }
    try {
      return await handler.handle(payload.data, context);
    } catch (error) {
      const delayMs = backoffMs(job.starts, RETRY);
      this.#logFailure(`${job.name} ${context.jobId}`, delayMs, error);
      return { retryAt: Date.now() + delayMs };
    }
  }

  #logFailure(job: string, delayMs: number, error: unknown): void {
    if (!isOutage(error)) {
      this.#logger.error(`${job} failed, retry in ${delayMs} ms: ${errorText(error)}`);
      return;
    }
    const count = this.#outages.take();
    if (count === null) return;
    this.#logger.warn(
      `A store failed for ${counted(count, 'job')} since the last entry. They are retried: ${errorText(error)}`,
    );
  }
}
