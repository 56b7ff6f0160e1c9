import type { Logger } from '@nestjs/common';
import { Sampler } from '#platform/core';

/** Logs a recurring error: the first occurrence at once, then one line a minute with the number of occurrences. */
export class RecurringError {
  readonly #sampler = new Sampler();

  constructor(
    private readonly logger: Logger,
    /** A monotonic clock, in milliseconds. */
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  log(text: string): void {
    const times = this.#sampler.take(this.nowMs());
    if (times === null) return;
    this.logger.error(times === 1 ? text : `${text} (${times} times)`);
  }
}
