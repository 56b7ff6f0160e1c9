import type { PresenceTiming } from '#contracts';
import type { PresenceTimes } from './presence-realm.js';

/** UNIX seconds between which something was, both included. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** How far back going invisible moves both times, beyond the offline threshold. */
const HIDDEN_IDLE_SECONDS = 120;
const HIDDEN_ACTIVE_SECONDS = HIDDEN_IDLE_SECONDS + 71;

/** Something that a user asked for; `isCertain`: it was answered with success, else it may have got lost. */
export interface Deed {
  readonly at: Span;
  readonly isCertain: boolean;
}

/**
 * What others may be told of a user in the end: which times that can be, after everything that the user did and
 * was promised. When exactly a request counts only the gateway knows: between its sending and its answer.
 */
export class PossibleTimes {
  #active: Span;
  #idle: Span = { from: 0, to: 0 };
  #isTold: 'never' | 'maybe' | 'surely' = 'never';

  constructor(
    joinedAt: number,
    private readonly timing: PresenceTiming,
  ) {
    // What is told of who was never active.
    this.#active = { from: joinedAt, to: joinedAt };
  }

  /** A report of somebody who shares their presence. */
  report(isActive: boolean, deed: Deed): void {
    this.#told(deed);
    if (isActive) this.#active = this.#refreshed(this.#active, deed);
    this.#idle = atLeast(this.#refreshed(this.#idle, deed), this.#active);
  }

  show(at: Span): void {
    this.#isTold = 'surely';
    this.#active = atLeast(this.#active, at);
    this.#idle = atLeast(this.#idle, this.#active);
  }

  hide(at: Span): void {
    this.#isTold = 'surely';
    const hiddenSeconds = this.timing.offlineThresholdSeconds;
    // How long ago they were active may look longer than it is: what they did just before is not always told any more.
    const latest = Math.min(this.#active.to, at.to - hiddenSeconds - HIDDEN_ACTIVE_SECONDS);
    this.#active = { from: 0, to: latest };
    this.#idle = earlier(at, hiddenSeconds + HIDDEN_IDLE_SECONDS);
  }

  /** Why these times cannot be, or null. */
  objection(times: PresenceTimes | undefined): string | null {
    if (times === undefined) return this.#isTold === 'surely' ? 'is not told of' : null;
    if (this.#isTold === 'never') return 'is told of, and has never reported';
    const { active_timestamp: active, idle_timestamp: idle } = times;
    if (!isWithin(active, this.#active)) return `active ${active}, not ${textOf(this.#active)}`;
    if (!isWithin(idle, this.#idle)) return `idle ${idle}, not ${textOf(this.#idle)}`;
    return null;
  }

  #told({ isCertain }: Deed): void {
    if (isCertain) this.#isTold = 'surely';
    else if (this.#isTold === 'never') this.#isTold = 'maybe';
  }

  /** A report counts only when the stored time is long enough ago. */
  #refreshed(stored: Span, { at, isCertain }: Deed): Span {
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
