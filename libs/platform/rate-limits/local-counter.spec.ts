import { describe, expect, it } from '@jest/globals';
import { LocalCounter } from './local-counter.js';

const now = 1_800_000_000_000;

describe(LocalCounter.name, () => {
  it('counts the calls of a window', () => {
    const sut = new LocalCounter({ seconds: 60, calls: 2 });
    expect(sut.get('key', now)).toBeNull();
    expect(sut.consume('key', { now })).toEqual({
      consumedPoints: 1,
      remainingPoints: 1,
      msBeforeNext: 60_000,
    });
    sut.consume('key', { now: now + 1000 });
    expect(sut.consume('key', { now: now + 2000 })).toEqual({
      consumedPoints: 3,
      remainingPoints: 0,
      msBeforeNext: 58_000,
    });
    expect(sut.get('key', now + 2000)?.consumedPoints).toBe(3);
  });

  it('charges several calls together', () => {
    const sut = new LocalCounter({ seconds: 60, calls: 5 });
    expect(sut.consume('key', { calls: 3, now }).remainingPoints).toBe(2);
  });

  it('starts again in the next window', () => {
    const sut = new LocalCounter({ seconds: 60, calls: 2 });
    sut.consume('key', { now });
    expect(sut.get('key', now + 60_000)).toBeNull();
    expect(sut.consume('key', { now: now + 60_000 }).consumedPoints).toBe(1);
  });

  it('starts again after the clock was set back, but not for a small step', () => {
    const sut = new LocalCounter({ seconds: 60, calls: 2 });
    sut.consume('key', { now });
    expect(sut.get('key', now - 2000)?.consumedPoints).toBe(1);
    const earlier = now - 3000;
    expect(sut.get('key', earlier)).toBeNull();
    expect(sut.consume('key', { now: earlier }).msBeforeNext).toBe(60_000);
  });

  it('forgets a key', () => {
    const sut = new LocalCounter({ seconds: 60, calls: 2 });
    sut.consume('key', { now });
    sut.delete('key');
    expect(sut.get('key', now)).toBeNull();
  });

  it('stores a limited number of keys', () => {
    const sut = new LocalCounter({ seconds: 60, calls: 2 }, 3);
    for (const key of ['one', 'two', 'three', 'four']) sut.consume(key, { now });
    expect(sut.get('one', now)).toBeNull();
    expect(sut.get('four', now)?.consumedPoints).toBe(1);
  });
});
