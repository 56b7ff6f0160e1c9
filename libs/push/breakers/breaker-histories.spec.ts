import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Outcome, outcomeOf, refusal } from '#push/providers';
import { breakerAt, type BreakerState, closedBreaker } from './breaker-state.rules.js';
import { acquire, record } from './circuit-breaker.rules.js';
import { type QuorumKey, signalOf } from './provider-signals.rules.js';

const START = 1_700_000_000_000;
const MAX_PAUSE_MS = { outage: 30_000, throttled: 60_000, misconfigured: 300_000 } as const;

const delivered = outcomeOf('fcm', { kind: 'accepted' });
const throttledFor = (status: number, reason: string) => (retryAfterMs: number | null) =>
  outcomeOf(
    reason === 'QUOTA_EXCEEDED' ? 'fcm' : 'apns',
    refusal({ status, reason, retryAfterMs }),
  );
const anyAsked = fc.option(fc.integer({ min: 0, max: 20_000 }));

const anyOutcome: fc.Arbitrary<Outcome> = fc.oneof(
  fc.constantFrom(
    delivered,
    outcomeOf('fcm', { kind: 'unanswered', reason: 'connection' }),
    outcomeOf('apns', { kind: 'unsendable', reason: 'MissingTopic' }),
    outcomeOf('apns', refusal({ status: 503, reason: 'ServiceUnavailable' })),
    outcomeOf('apns', refusal({ status: 403, reason: 'InvalidProviderToken' })),
    outcomeOf('apns', refusal({ status: 410, reason: 'Unregistered' })),
  ),
  anyAsked.map(throttledFor(429, 'QUOTA_EXCEEDED')),
  anyAsked.map(throttledFor(429, 'TooManyRequests')),
);

const anyKey = fc.integer({ min: 1, max: 20 }).map((id) => `account ${id}` as const);
const anyAnswer = fc.record({ outcome: anyOutcome, quorumKey: anyKey });

/** A moment in which pushes arrive, and some of the pushes in flight are answered. */
const anyMoment = fc.record({
  afterMs: fc.integer({ min: 0, max: 40_000 }),
  arrivals: fc.integer({ min: 0, max: 12 }),
  answers: fc.array(anyAnswer, { maxLength: 12 }),
  chance: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
});

type Moment = typeof anyMoment extends fc.Arbitrary<infer Value> ? Value : never;

/** A breaker, its pushes in flight, and its violations of the rules. */
class BreakerHistory {
  breaker: BreakerState = closedBreaker(START);
  now = START;
  readonly inFlight: number[] = [];
  readonly wrongs: string[] = [];

  constructor(moments: readonly Moment[]) {
    for (const { afterMs, arrivals, answers, chance } of moments) {
      this.now += afterMs;
      this.arrive(arrivals);
      for (const { outcome, quorumKey } of answers) this.answer(outcome, quorumKey, chance);
    }
  }

  arrive(arrivals: number): void {
    for (let arrival = 0; arrival < arrivals; arrival += 1) {
      const { breaker, retryAt } = acquire(this.breaker, this.now);
      this.breaker = breaker;
      if (retryAt === null) this.inFlight.push(this.now);
      this.#insist(retryAt === null || retryAt > this.now, 'turned away until a time that is past');
      this.#insist(retryAt !== null || breaker.state !== 'open', 'let through while open');
    }
  }

  answer(outcome: Outcome, quorumKey: QuorumKey, chance: number): void {
    const acquiredAt = this.inFlight.shift();
    if (acquiredAt === undefined) return;
    const permit = { kind: 'granted', quorumKey, acquiredAt } as const;
    const signal = signalOf(outcome, quorumKey);
    const { breaker, retryAt } = record(this.breaker, signal, permit, { now: this.now, chance });
    this.breaker = breaker;
    this.#judge(outcome, retryAt);
  }

  #judge(outcome: Outcome, retryAt: number | null): void {
    const { breaker, now } = this;
    const isRepeated = outcome.kind === 'retry' || outcome.kind === 'config_fault';
    const asked = outcome.kind === 'retry' ? (outcome.retryAfterMs ?? 0) : 0;
    this.#insist(isRepeated || retryAt === null, 'repeated what has ended');
    this.#insist(
      outcome.kind !== 'config_fault' || retryAt !== null,
      'burnt an attempt for a fault of the configuration',
    );
    this.#insist(
      !isRepeated || breaker.state !== 'open' || retryAt !== null,
      'burnt an attempt while open',
    );
    this.#insist(
      retryAt === null || retryAt >= now + Math.max(asked, 1),
      'came back sooner than asked',
    );
    this.#insist(
      breaker.state !== 'open' || breaker.reopensAt - now <= MAX_PAUSE_MS[breaker.cause],
      'paused for too long',
    );
  }

  #insist(isRight: boolean, wrong: string): void {
    if (!isRight) this.wrongs.push(wrong);
  }
}

describe('A breaker after any history', () => {
  const anyHistory = fc
    .array(anyMoment, { maxLength: 60 })
    .map((moments) => new BreakerHistory(moments));

  it('counts no attempt while open, respects Retry-After, and bounds its pauses', () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        expect(history.wrongs).toEqual([]);
      }),
    );
  });

  it('closes soon after the provider answers everything', () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        const until = history.now + 400_000;
        while (history.now < until && history.breaker.state !== 'closed') {
          history.now += 500;
          history.arrive(3);
          while (history.inFlight.length > 0) history.answer(delivered, 'account 1', 0);
        }
        expect(history.breaker.state).toBe('closed');
      }),
    );
  });

  it('allows one push after its pause', () => {
    const anyOpen = anyHistory.filter(({ breaker }) => breaker.state === 'open');
    fc.assert(
      fc.property(anyOpen, (history) => {
        const { breaker } = history;
        history.now = breaker.state === 'open' ? breaker.reopensAt : Number.NaN;
        history.breaker = breakerAt(breaker, history.now);
        history.inFlight.length = 0;
        history.arrive(20);
        expect(history.inFlight).toHaveLength(1);
      }),
    );
  });
});
