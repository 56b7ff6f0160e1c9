import { Injectable, Optional } from '@nestjs/common';
import { type PushJobs, type QueueName, queueNames } from '#push/jobs';
import { type Clock, systemClock } from '#platform/core';
import { JobQueues } from '#platform/queue';
import { type OutcomeBucket, PushActivityStore } from './push-activity.store.js';
import type { WorkerReport } from './worker-report.js';

/** How far back outcomes are read. */
const OUTCOMES_MS = 30 * 60_000;

/** The status of one queue. */
export interface QueueStatus {
  readonly name: QueueName;
  readonly waiting: number;
  readonly delayed: number;
  readonly active: number;
  readonly isPaused: boolean;
  /** Null when no job waits. */
  readonly oldestWaitingMs: number | null;
}

/** The status of every queue; rejects when Redis is down. */
export const readQueues = (queues: JobQueues<PushJobs>): Promise<QueueStatus[]> =>
  Promise.all(
    queueNames.map(async (name) => {
      const [counts, isPaused, oldestWaitingMs] = await Promise.all([
        queues.counts(name),
        queues.isPaused(name),
        queues.oldestWaitingMs(name),
      ]);
      return { name, ...counts, isPaused, oldestWaitingMs };
    }),
  );

/** The part of the pipeline's status that Redis has. Times are UNIX milliseconds. */
export interface PipelineReport {
  /** The workers with a report of the last 15 seconds, the longest running first. */
  readonly workers: readonly WorkerReport[];
  /** The last 30 minutes in steps of ten seconds, the oldest first, empty ones too. */
  readonly outcomes: readonly OutcomeBucket[];
  readonly queues: readonly QueueStatus[];
}

/** Reads the workers, the outcomes and the queues of the pipeline. */
@Injectable()
export class PipelineReader {
  constructor(
    private readonly queues: JobQueues<PushJobs>,
    private readonly activity: PushActivityStore,
    @Optional() private readonly clock: Clock = systemClock,
  ) {}

  /** Reads Redis alone; rejects within a second or so when it is down. */
  async read(): Promise<PipelineReport> {
    const now = this.clock();
    const [workers, outcomes, queues] = await Promise.all([
      this.activity.workers.recent(now),
      this.activity.outcomes(now - OUTCOMES_MS, now),
      readQueues(this.queues),
    ]);
    return { workers, outcomes, queues };
  }
}
