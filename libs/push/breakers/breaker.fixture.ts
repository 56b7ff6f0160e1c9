import { type Outcome, outcomeOf, refusal } from '#push/providers';
import { breakerAt, type BreakerState, closedBreaker } from './breaker-state.rules.js';
import { acquire, record } from './circuit-breaker.rules.js';
import { signalOf } from './provider-signals.rules.js';

const START = 1_700_000_000_000;

export const delivered = outcomeOf('fcm', { kind: 'accepted' });
export const unclear = outcomeOf('fcm', refusal({ status: 404, reason: null }));
export const unanswered = outcomeOf('fcm', { kind: 'unanswered', reason: 'connection' });
export const lateAnswer = outcomeOf('fcm', {
  kind: 'unanswered',
  reason: 'deadline',
  wasSent: true,
});
export const temporaryError = outcomeOf(
  'apns',
  refusal({ status: 503, reason: 'ServiceUnavailable' }),
);
export const misconfigured = outcomeOf(
  'apns',
  refusal({ status: 403, reason: 'InvalidProviderToken' }),
);
export const throttled = (retryAfterMs: number | null) =>
  outcomeOf('fcm', refusal({ status: 429, reason: 'QUOTA_EXCEEDED', retryAfterMs }));
export const deviceThrottled = (retryAfterMs: number | null) =>
  outcomeOf('apns', refusal({ status: 429, reason: 'TooManyRequests', retryAfterMs }));
export const messageFault = outcomeOf('apns', refusal({ status: 413, reason: 'PayloadTooLarge' }));
export const unsendable = outcomeOf('apns', { kind: 'unsendable', reason: 'MissingTopic' });

/** A breaker with a clock that tests move, and pushes for accounts that differ unless one is named. */
export class BreakerUnderTest {
  now = START;
  /** The random number of the next moments. */
  chance = 0;
  breaker: BreakerState = closedBreaker(START);
  /** Set by each recorded push. */
  retryAt: number | null = null;
  #accounts = 0;

  get cause() {
    return this.breaker.state === 'closed' ? null : this.breaker.cause;
  }

  /** Null: a permit; else the time to ask again. */
  acquire(): number | null {
    const { breaker, retryAt } = acquire(this.breaker, this.now);
    this.breaker = breaker;
    return retryAt;
  }

  record(outcome: Outcome, { userId = ++this.#accounts, acquiredAt = this.now } = {}): this {
    const quorumKey = `account ${userId}` as const;
    const permit = { kind: 'granted', quorumKey, acquiredAt } as const;
    const moment = { now: this.now, chance: this.chance };
    const { breaker, retryAt } = record(this.breaker, signalOf(outcome, quorumKey), permit, moment);
    this.breaker = breaker;
    this.retryAt = retryAt;
    return this;
  }

  /** Sends and records `count` pushes; fails when one is rejected. */
  send(outcome: Outcome, count = 1): this {
    for (let sent = 0; sent < count; sent += 1) {
      if (this.acquire() !== null) throw new Error('A push was rejected.');
      this.record(outcome);
    }
    return this;
  }

  /** Waits until the breaker is half-open; returns for how long. */
  wait(): number {
    const { now } = this;
    if (this.breaker.state === 'open') this.now = this.breaker.reopensAt;
    return this.now - now;
  }

  later(milliseconds: number): this {
    this.now += milliseconds;
    this.breaker = breakerAt(this.breaker, this.now);
    return this;
  }
}
