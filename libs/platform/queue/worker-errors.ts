import type { Logger } from '@nestjs/common';
import { isOutage, Sampler } from '#platform/core';

/** Logs the errors of a worker. BullMQ repeats them at each attempt, and those of one outage have several texts. */
export class WorkerErrors {
  readonly #outages = new Sampler();
  #lastError = '';

  constructor(private readonly logger: Pick<Logger, 'warn'>) {}

  /** Logs errors of an outage of Redis once a minute, and others when they change. */
  note(error: Error): void {
    if (!isOutage(error)) {
      if (error.message !== this.#lastError) this.logger.warn(error.message);
      this.#lastError = error.message;
      return;
    }
    const times = this.#outages.take();
    if (times === null) return;
    const since = times === 1 ? '' : `, ${times} errors since the last entry`;
    this.logger.warn(`${error.message}${since}`);
  }

  /** The worker has made progress: the next error is logged even with the same text. */
  reset(): void {
    this.#lastError = '';
  }
}
