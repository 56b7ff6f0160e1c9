import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { refusal } from '#push-transport';
import { type Outcome, outcomeOf } from '../deliver/outcome-policy.rules.js';
import { signalOf } from './gate-signal.rules.js';
import { admitted, closedGate, type Gate, gateAt, settled } from './gate.rules.js';

const START = 1_700_000_000_000;
const LONGEST_PAUSE_MS = { outage: 30_000, throttled: 60_000, misconfigured: 300_000 } as const;

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

const anyAnswer = fc.record({ outcome: anyOutcome, userId: fc.integer({ min: 1, max: 20 }) });

/** A moment in which pushes come, and some of those that are under way are answered. */
const anyMoment = fc.record({
  afterMs: fc.integer({ min: 0, max: 40_000 }),
  arrivals: fc.integer({ min: 0, max: 12 }),
  answers: fc.array(anyAnswer, { maxLength: 12 }),
  chance: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
});

type Moment = typeof anyMoment extends fc.Arbitrary<infer Value> ? Value : never;

/** A gate, what is under way, and what it did that it must not do. */
class Life {
  gate: Gate = closedGate(START);
  now = START;
  readonly underWay: number[] = [];
  readonly wrongs: string[] = [];

  constructor(history: readonly Moment[]) {
    for (const { afterMs, arrivals, answers, chance } of history) {
      this.now += afterMs;
      this.arrive(arrivals);
      for (const { outcome, userId } of answers) this.answer(outcome, userId, chance);
    }
  }

  arrive(arrivals: number): void {
    for (let arrival = 0; arrival < arrivals; arrival += 1) {
      const { gate, until } = admitted(this.gate, this.now);
      this.gate = gate;
      if (until === null) this.underWay.push(this.now);
      this.#insist(until === null || until > this.now, 'turned away until a time that is past');
      this.#insist(until !== null || gate.state !== 'open', 'let through while open');
    }
  }

  answer(outcome: Outcome, userId: number, chance: number): void {
    const admittedAt = this.underWay.shift();
    if (admittedAt === undefined) return;
    const passed = { userId, admittedAt };
    const signal = signalOf(outcome, userId);
    const { gate, comesBackAt } = settled(this.gate, signal, passed, this.now, chance);
    this.gate = gate;
    this.#judge(outcome, comesBackAt);
  }

  #judge(outcome: Outcome, comesBackAt: number | null): void {
    const { gate, now } = this;
    const isRepeated = outcome.kind === 'retry' || outcome.kind === 'config_fault';
    const asked = outcome.kind === 'retry' ? (outcome.retryAfterMs ?? 0) : 0;
    this.#insist(isRepeated || comesBackAt === null, 'repeated what has ended');
    this.#insist(
      outcome.kind !== 'config_fault' || comesBackAt !== null,
      'burnt an attempt for a fault of the configuration',
    );
    this.#insist(
      !isRepeated || gate.state !== 'open' || comesBackAt !== null,
      'burnt an attempt while open',
    );
    this.#insist(
      comesBackAt === null || comesBackAt >= now + Math.max(asked, 1),
      'came back sooner than asked',
    );
    this.#insist(
      gate.state !== 'open' || gate.reopensAt - now <= LONGEST_PAUSE_MS[gate.cause],
      'paused for too long',
    );
  }

  #insist(isRight: boolean, wrong: string): void {
    if (!isRight) this.wrongs.push(wrong);
  }
}

describe('A gate, whatever happens to it', () => {
  const anyLife = fc.array(anyMoment, { maxLength: 60 }).map((history) => new Life(history));

  it('burns no attempt while open, undercuts no provider, and pauses within bounds', () => {
    fc.assert(
      fc.property(anyLife, (life) => {
        expect(life.wrongs).toEqual([]);
      }),
    );
  });

  it('is closed soon after the provider answers everything', () => {
    fc.assert(
      fc.property(anyLife, (life) => {
        const until = life.now + 400_000;
        while (life.now < until && life.gate.state !== 'closed') {
          life.now += 500;
          life.arrive(3);
          while (life.underWay.length > 0) life.answer(delivered, 1, 0);
        }
        expect(life.gate.state).toBe('closed');
      }),
    );
  });

  it('lets one try when its pause is over', () => {
    const anyOpen = anyLife.filter(({ gate }) => gate.state === 'open');
    fc.assert(
      fc.property(anyOpen, (life) => {
        const { gate } = life;
        life.now = gate.state === 'open' ? gate.reopensAt : Number.NaN;
        life.gate = gateAt(gate, life.now);
        life.underWay.length = 0;
        life.arrive(20);
        expect(life.underWay).toHaveLength(1);
      }),
    );
  });
});
