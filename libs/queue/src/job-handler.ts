import type { JobName, JobPayload, QueueName } from '#contracts';

/** Where a job came from. */
export interface JobContext {
  readonly queue: QueueName;
  readonly jobId: string;
}

/** How a job went. */
export interface JobOutcome {
  /** UNIX milliseconds; the job is done when left out, else it comes back then, however often it asks. */
  readonly comesBackAt?: number;
  /** UNIX milliseconds; until then nothing of this queue can be done, so that this process takes none of it. */
  readonly restsUntil?: number;
}

/**
 * Carries out the jobs of one name: a thin entry that delegates.
 *
 * A handler that rejects is called again later, with growing delay and without end, so it must be able
 * to do its work twice. What cannot be done must be recorded by it, not thrown.
 */
export interface JobHandler<Name extends JobName = JobName> {
  readonly jobName: Name;
  handle(payload: JobPayload<Name>, context: JobContext): Promise<JobOutcome>;
}
