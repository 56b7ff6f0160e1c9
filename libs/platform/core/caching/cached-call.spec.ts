import { describe, expect, it } from '@jest/globals';
import { cachedCall } from './cached-call.js';

const HOUR_MS = 3_600_000;

describe(cachedCall.name, () => {
  it('calls once for all callers within the time', async () => {
    let looks = 0;
    const sut = cachedCall({ forMs: HOUR_MS, costFactor: 0 }, async () => ++looks);
    expect(await Promise.all([sut(), sut()])).toEqual([1, 1]);
    expect(await sut()).toBe(1);
  });

  it('calls again after the time', async () => {
    let looks = 0;
    const sut = cachedCall({ forMs: 0, costFactor: 0 }, async () => ++looks);
    expect([await sut(), await sut()]).toEqual([1, 2]);
  });

  it('caches a slow call for longer', async () => {
    let looks = 0;
    const sut = cachedCall({ forMs: 0, costFactor: 1e9 }, async () => {
      await new Promise(setImmediate);
      return ++looks;
    });
    expect([await sut(), await sut()]).toEqual([1, 1]);
  });

  it('does not start a second call while the first is running', async () => {
    let looks = 0;
    let end: () => void = () => undefined;
    const sut = cachedCall({ forMs: 0, costFactor: 0 }, async () => {
      await new Promise<void>((resolve) => {
        end = resolve;
      });
      return ++looks;
    });
    const both = Promise.all([sut(), sut()]);
    end();
    expect(await both).toEqual([1, 1]);
  });

  it('shares a failure with all callers, and calls again', async () => {
    let looks = 0;
    const sut = cachedCall({ forMs: HOUR_MS, costFactor: 0 }, async () => {
      looks += 1;
      if (looks === 1) throw new Error('away');
      return looks;
    });
    const both = await Promise.allSettled([sut(), sut()]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await sut()).toBe(2);
  });
});
