import type { Logger } from '@nestjs/common';

const AT_MOST_EVERY_MS = 60_000;

/** Logs an error that recurs: the first at once, then one a minute with how often it has occurred since. */
export class RecurringError {
  #loggedAtMs = Number.NEGATIVE_INFINITY;
  #unlogged = 0;

  constructor(
    private readonly logger: Logger,
    /** A clock that never steps, in milliseconds. */
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  log(text: string): void {
    this.#unlogged += 1;
    if (this.nowMs() - this.#loggedAtMs < AT_MOST_EVERY_MS) return;
    this.logger.error(this.#unlogged === 1 ? text : `${text} (${this.#unlogged} times)`);
    this.#loggedAtMs = this.nowMs();
    this.#unlogged = 0;
  }
}
