import type { RateRule } from '#platform/config';
import { atMost } from '#platform/core';
import { LRUCache } from 'lru-cache';

/** The state of a key in its current window. */
export interface Count {
  readonly consumedPoints: number;
  readonly remainingPoints: number;
  readonly msBeforeNext: number;
}

interface Window {
  count: number;
  readonly endsAt: number;
}

/** About 10 MB at most. Beyond it, the least recently charged key is forgotten. */
const MAX_KEYS = 50_000;

/** Smaller steps of the clock, and the rounding of a window to whole seconds, do not matter. */
const CLOCK_STEP_MS = 2000;

/**
 * Whether a window that ends at `endsAt` lasts at `now`. One that ends later than a new one would is of a clock that was set
 * back: its calls must not count for so long.
 */
export const isCurrent = (endsAt: number, now: number, windowMs: number): boolean =>
  endsAt > now && endsAt <= now + windowMs + CLOCK_STEP_MS;

/** Counts the calls of one rule in memory, for a limited number of keys. */
export class LocalCounter {
  readonly #windows: LRUCache<string, Window>;
  readonly #windowMs: number;

  constructor(
    private readonly rule: RateRule,
    maxKeys = MAX_KEYS,
  ) {
    this.#windows = new LRUCache(atMost(maxKeys));
    this.#windowMs = rule.seconds * 1000;
  }

  /** Charges one or several calls; `now` is in UNIX milliseconds. */
  consume(key: string, { calls = 1, now = Date.now() } = {}): Count {
    let window = this.#current(key, now);
    if (window === undefined) {
      window = { count: 0, endsAt: now + this.#windowMs };
      this.#windows.set(key, window);
    }
    window.count += calls;
    return this.#countOf(window, now);
  }

  /** Null without charges in the current window. */
  get(key: string, now = Date.now()): Count | null {
    const window = this.#current(key, now);
    return window === undefined ? null : this.#countOf(window, now);
  }

  delete(key: string): void {
    this.#windows.delete(key);
  }

  #current(key: string, now: number): Window | undefined {
    const window = this.#windows.get(key);
    return window && isCurrent(window.endsAt, now, this.#windowMs) ? window : undefined;
  }

  #countOf({ count, endsAt }: Window, now: number): Count {
    return {
      consumedPoints: count,
      remainingPoints: Math.max(0, this.rule.calls - count),
      msBeforeNext: endsAt - now,
    };
  }
}
