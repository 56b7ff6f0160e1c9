import { Logger } from '@nestjs/common';
import { errorText } from './error-text.js';
import { isOutage } from './outage.rules.js';
import { Sampler } from './sampler.js';

const counts = new Map<string, number>();

/** How many defects each place of this program has met since its start. */
export const defectCounts = (): ReadonlyMap<string, number> => counts;

/**
 * The failures that a place spares its callers, because it can do without what has failed. That a store is away is
 * expected there, and its connection logs it. Anything else is a defect: it is counted, and logged once a minute.
 */
export class SparedFailures {
  readonly #logger: Logger;
  readonly #sampler: Sampler;

  /** `place` is a class or a part of one. */
  constructor(
    private readonly place: string,
    sampler = new Sampler(),
  ) {
    this.#logger = new Logger(place);
    this.#sampler = sampler;
    counts.set(place, counts.get(place) ?? 0);
  }

  note(failure: unknown): void {
    if (isOutage(failure)) return;
    counts.set(this.place, (counts.get(this.place) ?? 0) + 1);
    const times = this.#sampler.take();
    if (times === null) return;
    this.#logger.error(
      `Went on without what failed, ${times} times since the last entry: ${errorText(failure)}`,
      failure instanceof Error ? failure.stack : undefined,
    );
  }
}
