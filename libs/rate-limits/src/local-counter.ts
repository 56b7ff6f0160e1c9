import type { RateRule } from '#config';
import { LRUCache } from 'lru-cache';

/** How one key stands in its present window. */
export interface Count {
  readonly consumedPoints: number;
  readonly remainingPoints: number;
  readonly msBeforeNext: number;
}

/** Some 10 MB at most: keys are short. Of more keys than this, the one not charged for longest is forgotten. */
const MAX_KEYS = 50_000;

/** Counts calls by one rule in the memory of this process, for a bounded number of keys. */
export class LocalCounter {
  readonly #windows: LRUCache<string, { count: number; readonly endsAt: number }>;

  constructor(
    private readonly rule: RateRule,
    maxKeys = MAX_KEYS,
  ) {
    this.#windows = new LRUCache({ max: maxKeys });
  }

  /** Charges a call, or several at once; `now` is in UNIX milliseconds. */
  consume(key: string, { calls = 1, now = Date.now() } = {}): Count {
    let window = this.#windows.get(key);
    if (window === undefined || window.endsAt <= now) {
      window = { count: 0, endsAt: now + this.rule.seconds * 1000 };
      this.#windows.set(key, window);
    }
    window.count += calls;
    return this.#countOf(window, now);
  }

  /** Null when nothing was charged to the key in the present window. */
  get(key: string, now = Date.now()): Count | null {
    const window = this.#windows.get(key);
    return window === undefined || window.endsAt <= now ? null : this.#countOf(window, now);
  }

  delete(key: string): void {
    this.#windows.delete(key);
  }

  #countOf({ count, endsAt }: { count: number; endsAt: number }, now: number): Count {
    return {
      consumedPoints: count,
      remainingPoints: Math.max(0, this.rule.calls - count),
      msBeforeNext: endsAt - now,
    };
  }
}
