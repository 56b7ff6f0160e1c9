import { describe, expect, it } from '@jest/globals';
import {
  BreakerUnderTest,
  delivered,
  deviceThrottled,
  messageFault,
  misconfigured,
  throttled,
  temporaryError,
  unanswered,
  unsendable,
} from './breaker.fixture.js';

describe('A breaker that is open', () => {
  const broken = () => new BreakerUnderTest().send(unanswered, 5);

  it('rejects all pushes until its pause is over, then allows one at a time', () => {
    const sut = broken();
    expect(sut.acquire()).toBe(sut.now + 1000);
    sut.wait();
    expect(sut.acquire()).toBeNull();
    expect(sut.acquire()).toBe(sut.now + 250);
    expect(sut.breaker.state).toBe('half_open');
  });

  it('takes up to a quarter off its pause, but not off the Retry-After of the provider', () => {
    const sut = new BreakerUnderTest();
    sut.chance = 0.8;
    expect(sut.send(unanswered, 5).wait()).toBe(800);
    const asked = new BreakerUnderTest();
    asked.chance = 0.8;
    expect(asked.send(throttled(120_000), 3).wait()).toBe(120_000);
  });

  it.each([
    ['without an answer', unanswered, 5],
    ['with a throttle', deviceThrottled(null), 10],
  ])('doubles its pause after each push %s, up to half a minute', (_how, outcome, count) => {
    const sut = new BreakerUnderTest().send(outcome, count);
    const since = sut.now;
    const pauses = Array.from({ length: 7 }, () => {
      const seconds = sut.wait() / 1000;
      sut.send(outcome);
      return seconds;
    });
    expect(pauses).toEqual([1, 2, 4, 8, 16, 30, 30]);
    expect(sut.breaker).toMatchObject({ since, openedCount: 1 });
  });

  it.each([0, 2000])('closes when the clock is set back %i ms after it opened', (openMs) => {
    const sut = broken().later(openMs);
    sut.acquire();
    sut.later(-3_600_000);
    expect(sut.breaker).toMatchObject({ state: 'closed', openedCount: 1 });
    expect(sut.acquire()).toBeNull();
  });

  it('ignores answers to pushes from before it opened', () => {
    const sut = broken();
    const acquiredAt = sut.now - 1;
    sut.record(unanswered, { acquiredAt }).record(delivered, { acquiredAt });
    expect(sut.wait()).toBe(1000);
    expect(sut.acquire()).toBeNull();
    sut.record(unanswered, { acquiredAt }).record(misconfigured, { acquiredAt });
    expect([sut.breaker.state, sut.cause]).toEqual(['half_open', 'outage']);
    expect(sut.retryAt).toBeGreaterThan(sut.now);
    sut.record(delivered).send(delivered, 40);
    for (let late = 0; late < 20; late += 1) sut.record(unanswered, { acquiredAt });
    expect(sut.breaker.state).toBe('closed');
  });

  it('waits for the Retry-After of a late throttle, if it is open because of throttles', () => {
    const sut = new BreakerUnderTest().send(throttled(1000), 3);
    sut.record(throttled(20_000), { acquiredAt: sut.now - 1 });
    expect(sut.wait()).toBe(20_000);
    const outage = broken();
    outage.record(throttled(20_000), { acquiredAt: outage.now - 1 });
    expect(outage.wait()).toBe(1000);
  });

  it('allows more and more pushes after an answer, and closes', () => {
    const sut = broken();
    sut.wait();
    let rounds = 0;
    while (sut.breaker.state !== 'closed') {
      let permit = 0;
      while (sut.acquire() === null) permit += 1;
      expect(permit).toBe(2 ** rounds);
      for (let answered = 0; answered < permit; answered += 1) sut.record(delivered);
      rounds += 1;
      if (rounds === 5) break;
    }
    sut.send(delivered);
    expect(sut.breaker.state).toBe('closed');
    expect(sut.breaker.openedCount).toBe(1);
  });

  it('closes some seconds after an answer, also with few pushes', () => {
    const sut = broken();
    sut.wait();
    sut.send(delivered);
    expect(sut.later(4999).breaker.state).toBe('half_open');
    expect(sut.later(1).breaker.state).toBe('closed');
  });

  it('survives one failure among answers, and opens at the next one', () => {
    const sut = broken();
    sut.wait();
    sut.send(delivered, 8).send(temporaryError);
    expect(sut.breaker.state).toBe('half_open');
    sut.send(delivered).send(temporaryError, 3);
    expect(sut.breaker.state).toBe('open');
  });

  it('counts a throttle of the test push as an answer', () => {
    const sut = broken();
    sut.wait();
    sut.send(deviceThrottled(3_600_000));
    expect(sut.breaker.state).toBe('half_open');
    expect(sut.retryAt).toBeNull();
    sut.send(delivered, 2);
  });

  it('gives the permit of an unsent push to another one', () => {
    const sut = broken();
    sut.wait();
    expect(sut.acquire()).toBeNull();
    sut.record(unsendable);
    expect(sut.breaker.state).toBe('half_open');
    expect(sut.acquire()).toBeNull();
    expect(sut.acquire()).not.toBeNull();
  });

  it('counts a refusal of the message as an answer', () => {
    const sut = broken();
    sut.wait();
    sut.send(messageFault);
    expect([sut.acquire(), sut.acquire()]).toEqual([null, null]);
  });

  it('gives a lost permit to another push', () => {
    const sut = broken();
    sut.wait();
    expect(sut.acquire()).toBeNull();
    sut.later(29_999);
    expect(sut.acquire()).not.toBeNull();
    sut.later(1);
    expect(sut.acquire()).toBeNull();
    expect(sut.acquire()).not.toBeNull();
    sut.record(delivered);
    expect([sut.acquire(), sut.acquire()]).toEqual([null, null]);
  });

  it('allows one push at a time, also when it is first asked long after its pause', () => {
    const sut = broken().later(61_000);
    expect(sut.acquire()).toBeNull();
    expect(sut.acquire()).not.toBeNull();
  });

  it('continues its pause when it opens again within a minute', () => {
    const sut = broken();
    sut.wait();
    sut.send(delivered, 32).later(59_999).send(unanswered, 5);
    expect(sut.wait()).toBe(2000);
    sut.send(delivered, 32).later(60_000).send(unanswered, 5);
    expect(sut.wait()).toBe(1000);
  });

  it('raises the rate over a minute after a throttle', () => {
    const sut = new BreakerUnderTest().send(throttled(1000), 3);
    sut.wait();
    sut.send(delivered, 100);
    expect(sut.acquire()).toBeNull();
    expect(sut.acquire()).not.toBeNull();
    sut.later(9999);
    for (let place = 0; place < 9; place += 1) expect(sut.acquire()).toBeNull();
    expect(sut.acquire()).not.toBeNull();
    expect(sut.later(50_000).breaker.state).toBe('half_open');
    expect(sut.later(1).breaker.state).toBe('closed');
  });

  it('opens again after the clock was set back', () => {
    const sut = broken();
    sut.wait();
    sut.send(delivered, 32).later(-3_600_000).send(unanswered, 5);
    expect(sut.breaker.state).toBe('open');
  });
});
