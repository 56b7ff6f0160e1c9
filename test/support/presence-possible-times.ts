import type { PresenceTiming } from '#presence/rules';
import type { PresenceTimes } from './presence-realm.js';

/** An interval in UNIX seconds, inclusive. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Going invisible moves both times back by this much, in addition to the offline threshold. */
const HIDDEN_IDLE_SECONDS = 120;
const HIDDEN_ACTIVE_SECONDS = HIDDEN_IDLE_SECONDS + 71;

/** A request of a user; `isCertain`: the answer was a success, otherwise the request may be lost. */
export interface ObservedRequest {
  readonly at: Span;
  readonly isCertain: boolean;
}

/**
 * The state of a user that others may see at the end: the possible times after all actions of the user, and after all
 * successful answers. Only the gateway knows the exact time of a request; it is between the request and its answer.
 */
export class PossibleTimes {
  #active: Span;
  #idle: Span = { from: 0, to: 0 };
  #isShown: 'never' | 'maybe' | 'surely' = 'never';

  constructor(
    joinedAt: number,
    private readonly timing: PresenceTiming,
  ) {
    // The shown time of a user who was never active.
    this.#active = { from: joinedAt, to: joinedAt };
  }

  /** A report of a visible user. */
  report(isActive: boolean, request: ObservedRequest): void {
    this.#record(request);
    if (isActive) this.#active = this.#refreshed(this.#active, request);
    this.#idle = atLeast(this.#refreshed(this.#idle, request), this.#active);
  }

  show(at: Span): void {
    this.#isShown = 'surely';
    this.#active = atLeast(this.#active, at);
    this.#idle = atLeast(this.#idle, this.#active);
  }

  hide(at: Span): void {
    this.#isShown = 'surely';
    const hiddenSeconds = this.timing.offlineThresholdSeconds;
    // The active time may be older than the real one: the last report before going invisible is not always shown.
    const latest = Math.min(this.#active.to, at.to - hiddenSeconds - HIDDEN_ACTIVE_SECONDS);
    this.#active = { from: 0, to: latest };
    this.#idle = earlier(at, hiddenSeconds + HIDDEN_IDLE_SECONDS);
  }

  /** The reason why these times are impossible, or null. */
  violation(times: PresenceTimes | undefined): string | null {
    if (times === undefined) return this.#isShown === 'surely' ? 'is not shown' : null;
    if (this.#isShown === 'never') return 'is shown, and has never reported';
    const { active_timestamp: active, idle_timestamp: idle } = times;
    if (!isWithin(active, this.#active)) return `active ${active}, not ${textOf(this.#active)}`;
    if (!isWithin(idle, this.#idle)) return `idle ${idle}, not ${textOf(this.#idle)}`;
    return null;
  }

  #record({ isCertain }: ObservedRequest): void {
    if (isCertain) this.#isShown = 'surely';
    else if (this.#isShown === 'never') this.#isShown = 'maybe';
  }

  /** A report counts only if the stored time is old enough. */
  #refreshed(stored: Span, { at, isCertain }: ObservedRequest): Span {
    const least = this.timing.updateMinimumSeconds;
    const isSurelyNew = at.from - stored.to > least;
    const from = isSurelyNew ? at.from : Math.max(stored.from, at.from - least);
    return { from: isCertain ? from : stored.from, to: Math.max(stored.to, at.to) };
  }
}

const atLeast = (one: Span, other: Span): Span => ({
  from: Math.max(one.from, other.from),
  to: Math.max(one.to, other.to),
});

const earlier = ({ from, to }: Span, seconds: number): Span => ({
  from: from - seconds,
  to: to - seconds,
});

const isWithin = (time: number, { from, to }: Span): boolean => time >= from && time <= to;

const textOf = ({ from, to }: Span): string => `${from} to ${to}`;
