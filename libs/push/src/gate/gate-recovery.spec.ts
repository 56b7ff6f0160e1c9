import { describe, expect, it } from '@jest/globals';
import {
  GateUnderTest,
  delivered,
  deviceThrottled,
  throttled,
  trouble,
  unanswered,
  unsendable,
} from './gate.fixture.js';

describe('A gate that is open', () => {
  const broken = () => new GateUnderTest().send(unanswered, 5);

  it('turns everything away until its pause is over, then lets one try at a time', () => {
    const sut = broken();
    expect(sut.pass()).toBe(sut.now + 1000);
    sut.wait();
    expect(sut.pass()).toBeNull();
    expect(sut.pass()).toBe(sut.now + 250);
    expect(sut.gate.state).toBe('half_open');
  });

  it('waits longer after each try that fails, up to half a minute', () => {
    const sut = broken();
    const pauses = Array.from({ length: 7 }, () => {
      const seconds = sut.wait() / 1000;
      sut.send(unanswered);
      return seconds;
    });
    expect(pauses).toEqual([1, 2, 4, 8, 16, 30, 30]);
  });

  it('is not impressed by answers to what was under sut when it opened', () => {
    const sut = broken();
    const admittedAt = sut.now - 1;
    sut.settle(unanswered, { admittedAt }).settle(delivered, { admittedAt });
    expect(sut.wait()).toBe(1000);
    expect(sut.pass()).toBeNull();
    sut.settle(unanswered, { admittedAt });
    expect(sut.gate.state).toBe('half_open');
    expect(sut.comesBackAt).toBeGreaterThan(sut.now);
    sut.settle(delivered).send(delivered, 40);
    for (let late = 0; late < 20; late += 1) sut.settle(unanswered, { admittedAt });
    expect(sut.gate.state).toBe('closed');
  });

  it('lets more and more try once one was answered, and closes', () => {
    const sut = broken();
    sut.wait();
    let rounds = 0;
    while (sut.gate.state !== 'closed') {
      let passed = 0;
      while (sut.pass() === null) passed += 1;
      expect(passed).toBe(2 ** rounds);
      for (let answered = 0; answered < passed; answered += 1) sut.settle(delivered);
      rounds += 1;
      if (rounds === 5) break;
    }
    sut.send(delivered);
    expect(sut.gate.state).toBe('closed');
    expect(sut.gate.openedCount).toBe(1);
  });

  it('closes some seconds after an answer, also when there is little to send', () => {
    const sut = broken();
    sut.wait();
    sut.send(delivered);
    expect(sut.later(4999).gate.state).toBe('half_open');
    expect(sut.later(1).gate.state).toBe('closed');
  });

  it('is not shut again by one failure among answers, but is by one after another', () => {
    const sut = broken();
    sut.wait();
    sut.send(delivered, 8).send(trouble);
    expect(sut.gate.state).toBe('half_open');
    sut.send(delivered).send(trouble, 3);
    expect(sut.gate.state).toBe('open');
  });

  it('takes a throttle of the one that tries for an answer', () => {
    const sut = broken();
    sut.wait();
    sut.send(deviceThrottled(3_600_000));
    expect(sut.gate.state).toBe('half_open');
    expect(sut.comesBackAt).toBeNull();
    sut.send(delivered, 2);
  });

  it('lets another try when the one that passed was not sent', () => {
    const sut = broken();
    sut.wait();
    expect(sut.pass()).toBeNull();
    sut.settle(unsendable);
    expect(sut.gate.state).toBe('half_open');
    expect(sut.pass()).toBeNull();
  });

  it('lets another try when the one that passed is never heard of again', () => {
    const sut = broken();
    sut.wait();
    expect(sut.pass()).toBeNull();
    sut.later(29_999);
    expect(sut.pass()).not.toBeNull();
    sut.later(1);
    expect(sut.pass()).toBeNull();
  });

  it('goes on with its pause when it is open again within a minute', () => {
    const sut = broken();
    sut.wait();
    sut.send(delivered, 32).send(unanswered, 5);
    expect(sut.wait()).toBe(2000);
    sut.send(delivered, 32).later(60_000).send(unanswered, 5);
    expect(sut.wait()).toBe(1000);
  });

  it('comes back from a throttle over a minute', () => {
    const sut = new GateUnderTest().send(throttled(1000), 3);
    sut.wait();
    sut.send(delivered, 100);
    expect(sut.pass()).toBeNull();
    expect(sut.pass()).not.toBeNull();
    sut.later(9000);
    for (let place = 0; place < 9; place += 1) expect(sut.pass()).toBeNull();
    expect(sut.pass()).not.toBeNull();
    expect(sut.later(51_000).gate.state).toBe('closed');
  });
});
