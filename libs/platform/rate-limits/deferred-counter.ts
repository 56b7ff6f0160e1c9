import type { RateRule } from '#platform/config';
import { atMost } from '#platform/core';
import { LRUCache } from 'lru-cache';
import { type Count, isCurrent } from './local-counter.js';

/** The share of a limit that a process counts before it reports. */
const UNREPORTED_SHARE = 0.1;
/** The share of a limit beyond which a process reports every call. */
const EXACT_SHARE = 0.5;

/** About 10 MB at most. Beyond it, the unreported calls of the least recently charged key are forgotten. */
const MAX_KEYS = 50_000;

interface Window {
  /** The calls of all processes, as far as they have reported them to this one. */
  reported: number;
  unreported: number;
  endsAt: number;
}

/** Adds calls to the count that all processes share, and resolves with that; a new count ends after `seconds`. */
export type ReportCalls = (key: string, calls: number, seconds: number) => Promise<Count>;

/**
 * Counts the calls of one rule, and reports them to the shared count in steps of a tenth of the limit, so that most calls
 * cost no request to Redis. Beyond half of the limit it reports each call. A caller that spreads its calls over several
 * processes may exceed the limit by at most a tenth for each process but one.
 */
export class DeferredCounter {
  readonly #windows = new LRUCache<string, Window>(atMost(MAX_KEYS));
  readonly #maxUnreported: number;
  readonly #maxInexact: number;

  constructor(
    private readonly rule: RateRule,
    private readonly report: ReportCalls,
  ) {
    this.#maxUnreported = Math.floor(rule.calls * UNREPORTED_SHARE);
    this.#maxInexact = Math.floor(rule.calls * EXACT_SHARE);
  }

  /** Whether `count` may charge a call, because it need not be reported yet. `now` is in UNIX milliseconds. */
  canDefer(key: string, now = Date.now()): boolean {
    const { reported, unreported } = this.#windowOf(key, now);
    return this.#isFew(unreported + 1, reported + unreported + 1);
  }

  /** Charges one or several calls without a report. */
  count(key: string, calls: number, now = Date.now()): void {
    this.#windowOf(key, now).unreported += calls;
  }

  /** Charges one or several calls, and reports them if they are many. Rejects only if `report` does. */
  async charge(key: string, calls: number, now = Date.now()): Promise<Count> {
    const window = this.#windowOf(key, now);
    window.unreported += calls;
    const { unreported } = window;
    const count = window.reported + unreported;
    const msBeforeNext = window.endsAt - now;
    if (this.#isFew(unreported, count)) {
      return { consumedPoints: count, remainingPoints: this.rule.calls - count, msBeforeNext };
    }
    window.reported = count;
    window.unreported = 0;
    const shared = await this.report(key, unreported, Math.ceil(msBeforeNext / 1000));
    window.reported = Math.max(window.reported, shared.consumedPoints);
    window.endsAt = Date.now() + shared.msBeforeNext;
    return shared;
  }

  #isFew(unreported: number, count: number): boolean {
    return unreported <= this.#maxUnreported && count <= this.#maxInexact;
  }

  #windowOf(key: string, now: number): Window {
    const current = this.#windows.get(key);
    const windowMs = this.rule.seconds * 1000;
    if (current !== undefined && isCurrent(current.endsAt, now, windowMs)) return current;
    const window = { reported: 0, unreported: 0, endsAt: now + windowMs };
    this.#windows.set(key, window);
    return window;
  }
}
