import { Inject, Injectable } from '@nestjs/common';
import { type QueueName, queueNames } from '#contracts';
import { CLOCK, type Clock } from '#core';
import { JobQueues } from '#queue';
import { PushActivityStore } from './push-activity.store.js';
import type { OutcomeBucket, WorkerReport } from './worker-report.js';

/** How far back the outcomes go. */
const SHOWN_MS = 30 * 60_000;

/** How one queue stands. */
export interface QueueOverview {
  readonly name: QueueName;
  readonly waiting: number;
  readonly delayed: number;
  readonly active: number;
  readonly isPaused: boolean;
  /** Null when no job waits. */
  readonly oldestWaitingMs: number | null;
}

/** What goes on in the push pipeline. Times are UNIX milliseconds. */
export interface PushOverviewReport {
  /** The workers that have said something in the last 15 seconds, the longest running first. */
  readonly workers: readonly WorkerReport[];
  /** The last 30 minutes in steps of ten seconds, the oldest first; also those in which nothing came. */
  readonly outcomes: readonly OutcomeBucket[];
  readonly queues: readonly QueueOverview[];
}

/** Looks over the push pipeline, for the operator. */
@Injectable()
export class PushOverview {
  constructor(
    private readonly queues: JobQueues,
    private readonly activity: PushActivityStore,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Asks Redis alone; rejects within a second or so when it is away. */
  async execute(): Promise<PushOverviewReport> {
    const now = this.clock();
    const [workers, outcomes, queues] = await Promise.all([
      this.activity.workers(now),
      this.activity.outcomes(now - SHOWN_MS, now),
      Promise.all(queueNames.map((name) => this.#queue(name))),
    ]);
    return { workers, outcomes, queues };
  }

  async #queue(name: QueueName): Promise<QueueOverview> {
    const [counts, isPaused, oldestWaitingMs] = await Promise.all([
      this.queues.counts(name),
      this.queues.isPaused(name),
      this.queues.oldestWaitingMs(name),
    ]);
    return { name, ...counts, isPaused, oldestWaitingMs };
  }
}
