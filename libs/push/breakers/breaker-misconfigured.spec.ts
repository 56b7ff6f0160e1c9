import { describe, expect, it } from '@jest/globals';
import {
  BreakerUnderTest,
  delivered,
  misconfigured,
  temporaryError,
  unanswered,
} from './breaker.fixture.js';

describe('A breaker of a wrong configuration', () => {
  it('allows one push at a time while only one account is affected', () => {
    const sut = new BreakerUnderTest().send(misconfigured);
    expect(sut.retryAt).toBe(sut.now + 5000);
    expect(sut.acquire()).toBeNull();
    expect(sut.acquire()).toBe(sut.now + 250);
    sut.record(delivered);
    expect(sut.breaker.state).toBe('closed');
  });

  it('opens after three accounts, with growing pauses up to five minutes', () => {
    const sut = new BreakerUnderTest().send(misconfigured, 2);
    expect(sut.breaker.state).toBe('half_open');
    const pauses = Array.from({ length: 8 }, () => {
      sut.send(misconfigured);
      expect(sut.breaker.state).toBe('open');
      expect(sut.retryAt).toBe(sut.breaker.state === 'open' ? sut.breaker.reopensAt : 0);
      return sut.wait() / 1000;
    });
    expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 300, 300]);
  });

  it('grows the pause of one account that is repeatedly affected', () => {
    const sut = new BreakerUnderTest();
    const pauses = Array.from({ length: 4 }, () => {
      expect(sut.acquire()).toBeNull();
      sut.record(misconfigured, { userId: 7 });
      const seconds = ((sut.retryAt ?? 0) - sut.now) / 1000;
      sut.later(seconds * 1000);
      return seconds;
    });
    expect(pauses).toEqual([5, 10, 20, 40]);
    expect(sut.breaker.state).toBe('half_open');
  });

  it('closes with the first answer', () => {
    const sut = new BreakerUnderTest().send(misconfigured, 3);
    sut.wait();
    sut.send(delivered);
    expect(sut.breaker.state).toBe('closed');
    expect(sut.breaker.openedCount).toBe(1);
  });

  it('counts late results without a longer pause', () => {
    const sut = new BreakerUnderTest();
    const acquiredAt = sut.now - 1;
    for (let late = 0; late < 20; late += 1) sut.record(misconfigured, { acquiredAt });
    expect(sut.breaker.state).toBe('open');
    expect(sut.wait()).toBe(5000);
  });

  it('counts the late results of one account once', () => {
    const sut = new BreakerUnderTest();
    const acquiredAt = sut.now - 1;
    for (let late = 0; late < 3; late += 1) sut.record(misconfigured, { userId: 7, acquiredAt });
    expect(sut.breaker.state).toBe('half_open');
    expect(sut.retryAt).toBe(sut.now + 5000);
  });

  it('delays a push whose late result arrives after it has closed', () => {
    const sut = new BreakerUnderTest();
    const acquiredAt = sut.now - 1;
    sut.send(misconfigured, 3).wait();
    sut.send(delivered).record(misconfigured, { acquiredAt });
    expect(sut.retryAt).toBe(sut.now + 5000);
    sut.record(unanswered, { acquiredAt });
    expect(sut.retryAt).toBeNull();
    expect(sut.breaker.state).toBe('closed');
  });

  it('stops one account only while others are answered', () => {
    const sut = new BreakerUnderTest().send(delivered, 5).later(6000).send(temporaryError, 2);
    for (let token = 0; token < 6; token += 1) sut.record(misconfigured, { userId: 900 });
    expect(sut.breaker.state).toBe('closed');
    expect(sut.retryAt).toBe(sut.now + 60_000);
    sut.send(delivered);
    expect(sut.breaker.state).toBe('closed');
  });

  it('stays closed while pushes of others are answered, and opens soon after the last one', () => {
    const sut = new BreakerUnderTest().send(delivered, 5).send(misconfigured, 20);
    expect(sut.breaker.state).toBe('closed');
    expect(sut.retryAt).toBe(sut.now + 5000);
    sut.later(10_000).send(misconfigured);
    expect(sut.breaker.state).toBe('open');
  });

  it('becomes half-open at once if only the same account was answered before', () => {
    const sut = new BreakerUnderTest();
    sut.record(delivered, { userId: 7 }).record(delivered, { userId: 7 });
    sut.record(misconfigured, { userId: 7 });
    expect(sut.breaker.state).toBe('half_open');
    const other = new BreakerUnderTest();
    other.record(delivered, { userId: 8 }).record(delivered, { userId: 7 });
    other.record(misconfigured, { userId: 7 });
    expect(other.breaker.state).toBe('closed');
  });
});
