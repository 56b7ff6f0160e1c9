import { refusal } from '#push-transport';
import { type Outcome, outcomeOf } from '../deliver/outcome-policy.rules.js';
import { signalOf } from './gate-signal.rules.js';
import { admitted, closedGate, type Gate, gateAt, settled } from './gate.rules.js';

const START = 1_700_000_000_000;

export const delivered = outcomeOf('fcm', { kind: 'accepted' });
export const unanswered = outcomeOf('fcm', { kind: 'unanswered', reason: 'connection' });
export const trouble = outcomeOf('apns', refusal({ status: 503, reason: 'ServiceUnavailable' }));
export const misconfigured = outcomeOf(
  'apns',
  refusal({ status: 403, reason: 'InvalidProviderToken' }),
);
export const throttled = (retryAfterMs: number | null) =>
  outcomeOf('fcm', refusal({ status: 429, reason: 'QUOTA_EXCEEDED', retryAfterMs }));
export const deviceThrottled = (retryAfterMs: number | null) =>
  outcomeOf('apns', refusal({ status: 429, reason: 'TooManyRequests', retryAfterMs }));
export const unsendable = outcomeOf('apns', { kind: 'unsendable', reason: 'MissingTopic' });

/** A gate with a clock that tests move, and pushes for accounts that differ unless one is named. */
export class GateUnderTest {
  now = START;
  gate: Gate = closedGate(START);
  /** Set by each settled push. */
  comesBackAt: number | null = null;
  #accounts = 0;

  get cause() {
    return this.gate.state === 'closed' ? null : this.gate.cause;
  }

  /** Null: let through; else the time until which it is turned away. */
  pass(): number | null {
    const { gate, until } = admitted(this.gate, this.now);
    this.gate = gate;
    return until;
  }

  settle(outcome: Outcome, { userId = ++this.#accounts, admittedAt = this.now } = {}): this {
    const passed = { userId, admittedAt };
    const { gate, comesBackAt } = settled(
      this.gate,
      signalOf(outcome, userId),
      passed,
      this.now,
      0,
    );
    this.gate = gate;
    this.comesBackAt = comesBackAt;
    return this;
  }

  /** Lets through and settles `count` pushes; fails when one is turned away. */
  send(outcome: Outcome, count = 1): this {
    for (let sent = 0; sent < count; sent += 1) {
      if (this.pass() !== null) throw new Error('A push was turned away.');
      this.settle(outcome);
    }
    return this;
  }

  /** Waits until the next one may try; returns for how long. */
  wait(): number {
    const { now } = this;
    if (this.gate.state === 'open') this.now = this.gate.reopensAt;
    return this.now - now;
  }

  later(milliseconds: number): this {
    this.now += milliseconds;
    this.gate = gateAt(this.gate, this.now);
    return this;
  }
}
