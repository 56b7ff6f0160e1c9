import { Injectable, Logger } from '@nestjs/common';
import { type JobName, jobSchemas } from '#contracts';
import { errorText } from '#core';
import type { JobContext, JobHandler, JobOutcome } from './job-handler.js';
import type { UnreadableMessages } from './unreadable-messages.js';

const FIRST_DELAY_MS = 1000;
const LONGEST_DELAY_MS = 60_000;

/** A job as the queue hands it over, not yet believed. */
export interface ReceivedJob {
  readonly name: string;
  readonly data: unknown;
  /** How often it was started, this time included. */
  readonly starts: number;
}

/** Parses a job and hands it to its handler. */
@Injectable()
export class JobDispatcher {
  readonly #logger = new Logger(JobDispatcher.name);

  constructor(
    private readonly handlers: ReadonlyMap<JobName, JobHandler>,
    private readonly unreadable: Pick<UnreadableMessages, 'dropped'>,
  ) {}

  /** Never rejects: a job that no handler can read is dropped, one that failed comes back. */
  async dispatch(job: ReceivedJob, context: JobContext): Promise<JobOutcome> {
    const handler = this.#handlerOf(job.name);
    const payload = handler && jobSchemas[handler.jobName].safeParse(job.data);
    if (handler === undefined || !payload?.success) {
      this.unreadable.dropped(context.queue);
      return {};
    }
    try {
      return await handler.handle(payload.data, context);
    } catch (error) {
      const delayMs = Math.min(FIRST_DELAY_MS * 2 ** (job.starts - 1), LONGEST_DELAY_MS);
      this.#logger.error(
        `${job.name} ${context.jobId} again in ${delayMs} ms: ${errorText(error)}`,
      );
      return { comesBackAt: Date.now() + delayMs };
    }
  }

  #handlerOf(name: string): JobHandler | undefined {
    // Any text may be looked up; only a job name is found.
    return this.handlers.get(name as JobName);
  }
}
