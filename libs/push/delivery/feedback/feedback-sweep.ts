import { Injectable } from '@nestjs/common';
import { Metrics } from '#platform/telemetry';
import { inPages } from '../sweep/retention.js';
import type { SweepTask } from '../sweep/sweep-task.js';
import { FeedbackRepository } from './feedback.repository.js';

/** A receiver that is away for longer misses the oldest events. */
const KEPT_MS = 24 * 3_600_000;

/** Removes events that the receiver has not taken in a day, also those that are left when there is no webhook any more. */
@Injectable()
export class FeedbackSweep implements SweepTask {
  readonly #skipped;

  constructor(
    private readonly events: FeedbackRepository,
    metrics: Metrics,
  ) {
    this.#skipped = metrics.counter({
      name: 'carillon_push_feedback_skipped_total',
      help: 'Ended deliveries that the receiver of the webhook has not taken within a day.',
      labels: [],
    });
  }

  /** Rejects when PostgreSQL is down. */
  async sweep(): Promise<void> {
    await inPages(async (limit) => {
      const removed = await this.events.forget(KEPT_MS, limit);
      if (removed > 0) this.#skipped.add({}, removed);
      return removed;
    });
  }
}
