import { describe, expect, it } from '@jest/globals';
import { refusal } from '#push-transport';
import { type Outcome, outcomeOf } from '../deliver/outcome-policy.rules.js';
import { signalOf } from './gate-signal.rules.js';
import { admitted, closedGate, type Gate, gateAt, settled } from './gate.rules.js';

const START = 1_700_000_000_000;

const delivered = outcomeOf('fcm', { kind: 'accepted' });
const unanswered = outcomeOf('fcm', { kind: 'unanswered', reason: 'connection' });
const trouble = outcomeOf('apns', refusal({ status: 503, reason: 'ServiceUnavailable' }));
const misconfigured = outcomeOf('apns', refusal({ status: 403, reason: 'InvalidProviderToken' }));
const throttled = (retryAfterMs: number | null) =>
  outcomeOf('fcm', refusal({ status: 429, reason: 'QUOTA_EXCEEDED', retryAfterMs }));
const deviceThrottled = (retryAfterMs: number | null) =>
  outcomeOf('apns', refusal({ status: 429, reason: 'TooManyRequests', retryAfterMs }));
const unsendable = outcomeOf('apns', { kind: 'unsendable', reason: 'MissingTopic' });

/** A gate with a clock that tests move, and pushes of devices that differ unless one is named. */
class Way {
  now = START;
  gate: Gate = closedGate(START);
  /** Set by each settled push. */
  comesBackAt: number | null = null;
  #devices = 0;

  pass(): number | null {
    const { gate, until } = admitted(this.gate, this.now);
    this.gate = gate;
    return until;
  }

  settle(outcome: Outcome, { deviceId = ++this.#devices, admittedAt = this.now } = {}): this {
    const passed = { deviceId, admittedAt };
    const { gate, comesBackAt } = settled(
      this.gate,
      signalOf(outcome, deviceId),
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
      expect(this.pass()).toBeNull();
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

const cause = ({ gate }: Way) => (gate.state === 'closed' ? null : gate.cause);

describe('A gate that is closed', () => {
  it('lets everything pass', () => {
    const way = new Way().send(delivered, 100);
    expect(way.gate.state).toBe('closed');
    expect(way.comesBackAt).toBeNull();
  });

  it('opens when the provider does not answer five times in a row', () => {
    const way = new Way().send(delivered, 100).send(unanswered, 4);
    expect(way.comesBackAt).toBeNull();
    way.send(unanswered);
    expect([way.gate.state, cause(way)]).toEqual(['open', 'outage']);
    expect(way.comesBackAt).toBe(way.now + 1000);
  });

  it('opens when ten devices in a row meet with trouble', () => {
    const way = new Way().send(delivered, 100).send(trouble, 9);
    expect(way.gate.state).toBe('closed');
    way.send(trouble);
    expect([way.gate.state, cause(way)]).toEqual(['open', 'outage']);
  });

  it('opens when half of what it sends fails', () => {
    const way = new Way();
    for (let round = 0; round < 4; round += 1) way.send(delivered).send(trouble);
    expect(way.gate.state).toBe('closed');
    way.send(delivered).send(trouble);
    expect(way.gate.state).toBe('open');
  });

  it('forgets failures after ten seconds', () => {
    const way = new Way();
    for (let round = 0; round < 4; round += 1) way.send(delivered).send(trouble);
    way.later(10_000).send(delivered).send(trouble);
    expect(way.gate.state).toBe('closed');
  });

  it('opens for the time that the provider asks of several devices', () => {
    const way = new Way().send(throttled(20_000), 2);
    expect(way.gate.state).toBe('closed');
    way.send(throttled(20_000));
    expect([way.gate.state, cause(way)]).toEqual(['open', 'throttled']);
    expect(way.comesBackAt).toBeGreaterThanOrEqual(way.now + 20_000);
    expect(way.wait()).toBe(20_000);
  });

  it('takes a 503 that names a time for a throttle', () => {
    const asked = refusal({ status: 503, reason: 'UNAVAILABLE', retryAfterMs: 8000 });
    const way = new Way().send(outcomeOf('fcm', asked), 3);
    expect(cause(way)).toBe('throttled');
    expect(way.wait()).toBe(8000);
  });

  it('waits a minute after a throttle of Google that names no time', () => {
    const way = new Way().send(throttled(null), 3);
    expect(way.wait()).toBe(60_000);
  });

  it('believes a throttle of single devices only from many of them, and not for long', () => {
    const way = new Way().send(deviceThrottled(3_000_000), 9);
    expect(way.gate.state).toBe('closed');
    way.send(deviceThrottled(3_000_000));
    expect(way.comesBackAt).toBe(way.now + 3_000_000);
    expect(way.wait()).toBe(60_000);
  });

  it.each([
    ['trouble', trouble],
    ['a throttle', throttled(60_000)],
    ['a throttle of its own', deviceThrottled(null)],
  ])('is not opened by one device however often it meets with %s', (_, outcome) => {
    const way = new Way();
    for (let tries = 0; tries < 100; tries += 1) {
      expect(way.pass()).toBeNull();
      way.settle(outcome, { deviceId: 7 }).later(500);
      expect(way.comesBackAt).toBeNull();
    }
    expect(way.gate.state).toBe('closed');
  });
});

describe('A gate that is open', () => {
  const broken = () => new Way().send(unanswered, 5);

  it('turns everything away until its pause is over, then lets one try at a time', () => {
    const way = broken();
    expect(way.pass()).toBe(way.now + 1000);
    way.wait();
    expect(way.pass()).toBeNull();
    expect(way.pass()).toBe(way.now + 250);
    expect(way.gate.state).toBe('half_open');
  });

  it('waits longer after each try that fails, up to half a minute', () => {
    const way = broken();
    const pauses = Array.from({ length: 7 }, () => {
      const seconds = way.wait() / 1000;
      way.send(unanswered);
      return seconds;
    });
    expect(pauses).toEqual([1, 2, 4, 8, 16, 30, 30]);
  });

  it('is not impressed by answers to what was under way when it opened', () => {
    const way = broken();
    const admittedAt = way.now - 1;
    way.settle(unanswered, { admittedAt }).settle(delivered, { admittedAt });
    expect(way.wait()).toBe(1000);
    expect(way.pass()).toBeNull();
    way.settle(unanswered, { admittedAt });
    expect(way.gate.state).toBe('half_open');
    expect(way.comesBackAt).toBeGreaterThan(way.now);
    way.settle(delivered).send(delivered, 40);
    for (let late = 0; late < 20; late += 1) way.settle(unanswered, { admittedAt });
    expect(way.gate.state).toBe('closed');
  });

  it('lets more and more try once one was answered, and closes', () => {
    const way = broken();
    way.wait();
    let rounds = 0;
    while (way.gate.state !== 'closed') {
      let passed = 0;
      while (way.pass() === null) passed += 1;
      expect(passed).toBe(2 ** rounds);
      for (let answered = 0; answered < passed; answered += 1) way.settle(delivered);
      rounds += 1;
      if (rounds === 5) break;
    }
    way.send(delivered);
    expect(way.gate.state).toBe('closed');
    expect(way.gate.openedCount).toBe(1);
  });

  it('closes some seconds after an answer, also when there is little to send', () => {
    const way = broken();
    way.wait();
    way.send(delivered);
    expect(way.later(4999).gate.state).toBe('half_open');
    expect(way.later(1).gate.state).toBe('closed');
  });

  it('is not shut again by one failure among answers, but is by one after another', () => {
    const way = broken();
    way.wait();
    way.send(delivered, 8).send(trouble);
    expect(way.gate.state).toBe('half_open');
    way.send(delivered).send(trouble, 3);
    expect(way.gate.state).toBe('open');
  });

  it('takes a throttle of the one that tries for an answer', () => {
    const way = broken();
    way.wait();
    way.send(deviceThrottled(3_600_000));
    expect(way.gate.state).toBe('half_open');
    expect(way.comesBackAt).toBeNull();
    way.send(delivered, 2);
  });

  it('lets another try when the one that passed was not sent', () => {
    const way = broken();
    way.wait();
    expect(way.pass()).toBeNull();
    way.settle(unsendable);
    expect(way.gate.state).toBe('half_open');
    expect(way.pass()).toBeNull();
  });

  it('lets another try when the one that passed is never heard of again', () => {
    const way = broken();
    way.wait();
    expect(way.pass()).toBeNull();
    way.later(29_999);
    expect(way.pass()).not.toBeNull();
    way.later(1);
    expect(way.pass()).toBeNull();
  });

  it('goes on with its pause when it is open again within a minute', () => {
    const way = broken();
    way.wait();
    way.send(delivered, 32).send(unanswered, 5);
    expect(way.wait()).toBe(2000);
    way.send(delivered, 32).later(60_000).send(unanswered, 5);
    expect(way.wait()).toBe(1000);
  });

  it('comes back from a throttle over a minute', () => {
    const way = new Way().send(throttled(1000), 3);
    way.wait();
    way.send(delivered, 100);
    expect(way.pass()).toBeNull();
    expect(way.pass()).not.toBeNull();
    way.later(9000);
    for (let place = 0; place < 9; place += 1) expect(way.pass()).toBeNull();
    expect(way.pass()).not.toBeNull();
    expect(way.later(51_000).gate.state).toBe('closed');
  });
});

describe('A gate whose configuration is at fault', () => {
  it('lets others try one at a time while only one device was told so', () => {
    const way = new Way().send(misconfigured);
    expect(way.comesBackAt).toBe(way.now + 5000);
    expect(way.pass()).toBeNull();
    expect(way.pass()).toBe(way.now + 250);
    way.settle(delivered);
    expect(way.gate.state).toBe('closed');
  });

  it('opens once three were told so, and waits longer up to five minutes', () => {
    const way = new Way().send(misconfigured, 2);
    expect(way.gate.state).toBe('half_open');
    const pauses = Array.from({ length: 8 }, () => {
      way.send(misconfigured);
      expect(way.gate.state).toBe('open');
      expect(way.comesBackAt).toBe(way.gate.state === 'open' ? way.gate.reopensAt : 0);
      return way.wait() / 1000;
    });
    expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 300, 300]);
  });

  it('waits longer for one device that is told so again and again', () => {
    const way = new Way();
    const pauses = Array.from({ length: 4 }, () => {
      expect(way.pass()).toBeNull();
      way.settle(misconfigured, { deviceId: 7 });
      const seconds = ((way.comesBackAt ?? 0) - way.now) / 1000;
      way.later(seconds * 1000);
      return seconds;
    });
    expect(pauses).toEqual([5, 10, 20, 40]);
    expect(way.gate.state).toBe('half_open');
  });

  it('closes with the first answer', () => {
    const way = new Way().send(misconfigured, 3);
    way.wait();
    way.send(delivered);
    expect(way.gate.state).toBe('closed');
    expect(way.gate.openedCount).toBe(1);
  });

  it('counts what was under way, without waiting longer for it', () => {
    const way = new Way();
    const admittedAt = way.now - 1;
    for (let late = 0; late < 20; late += 1) way.settle(misconfigured, { admittedAt });
    expect(way.gate.state).toBe('open');
    expect(way.wait()).toBe(5000);
  });
});
