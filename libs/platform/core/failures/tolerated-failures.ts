import { Logger } from '@nestjs/common';
import { errorText, isConflict, isOutage } from './errors.js';

const EVERY_MS = 60_000;

/** Limits the log entries for a repeated event: one per period, with the number of events since the previous entry. */
export class Sampler {
  #count = 0;
  #quietUntil = 0;

  constructor(private readonly everyMs = EVERY_MS) {}

  /** The number of events for a log entry, this one included; null for no entry. */
  take(now: number = performance.now()): number | null {
    this.#count += 1;
    if (now < this.#quietUntil) return null;
    const count = this.#count;
    this.#count = 0;
    this.#quietUntil = now + this.everyMs;
    return count;
  }
}

const counts = new Map<string, number>();

/** The number of defects by place since the start of this program. */
export const defectCounts = (): ReadonlyMap<string, number> => counts;

/**
 * Reports failures that a caller tolerates. Outages of a store are expected, and their connection logs them. Any other
 * failure is a defect, and so is a conflict of transactions, which no connection logs: it is counted, and logged once a
 * minute.
 */
export class ToleratedFailures {
  readonly #logger: Logger;
  readonly #sampler: Sampler;

  /** `place` is the name of a class or of a part of it. */
  constructor(
    private readonly place: string,
    sampler = new Sampler(),
  ) {
    this.#logger = new Logger(place);
    this.#sampler = sampler;
    counts.set(place, counts.get(place) ?? 0);
  }

  record(failure: unknown): void {
    if (isOutage(failure) && !isConflict(failure)) return;
    counts.set(this.place, (counts.get(this.place) ?? 0) + 1);
    const times = this.#sampler.take();
    if (times === null) return;
    this.#logger.error(
      `Continued after failures, ${times} since the last entry: ${errorText(failure)}`,
      failure instanceof Error ? failure.stack : undefined,
    );
  }
}
