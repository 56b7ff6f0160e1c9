import type { Logger } from '@nestjs/common';
import { Sampler } from '#core';

/** Logs an error that recurs: the first at once, then one a minute with how often it has occurred since. */
export class RecurringError {
  readonly #sampler = new Sampler();

  constructor(
    private readonly logger: Logger,
    /** A clock that never steps, in milliseconds. */
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  log(text: string): void {
    const times = this.#sampler.take(this.nowMs());
    if (times === null) return;
    this.logger.error(times === 1 ? text : `${text} (${times} times)`);
  }
}
