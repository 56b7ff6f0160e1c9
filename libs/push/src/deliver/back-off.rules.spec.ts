import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { lookAgainDelayMs, retryDelayMs } from './back-off.rules.js';

const hint = { firstDelayMs: 1000, retryAfterMs: null };

describe(retryDelayMs.name, () => {
  it.each([
    [1, 1000],
    [2, 2000],
    [5, 16_000],
    [9, 256_000],
    [10, 300_000],
    [200, 300_000],
  ])('doubles up to five minutes: after %i attempts %i ms', (attempts, expected) => {
    expect(retryDelayMs(attempts, hint, 0)).toBe(expected);
  });

  it('never comes back sooner than the provider asks', () => {
    expect(retryDelayMs(1, { ...hint, retryAfterMs: 7000 }, 0)).toBe(7000);
    expect(retryDelayMs(5, { ...hint, retryAfterMs: 7000 }, 0)).toBe(16_000);
  });

  it('believes no provider that asks for more than an hour', () => {
    expect(retryDelayMs(1, { ...hint, retryAfterMs: 86_400_000 }, 0)).toBe(3_600_000);
  });

  it('adds by chance, and at most half as much again', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200 }),
        fc.option(fc.integer({ min: 0, max: 7_200_000 })),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (attempts, retryAfterMs, chance) => {
          const least = retryDelayMs(attempts, { ...hint, retryAfterMs }, 0);
          const delayMs = retryDelayMs(attempts, { ...hint, retryAfterMs }, chance);
          return delayMs >= least && delayMs <= least * 1.5;
        },
      ),
      { examples: [[1, 1_567_135, 0.9999999999999998]] },
    );
  });
});

describe(lookAgainDelayMs.name, () => {
  it.each([
    [0, 20],
    [40, 20],
    [300, 150],
    [2000, 1000],
    [1_800_000, 1000],
  ])('is rarer the longer something has waited: after %i ms, in %i', (waitedMs, expected) => {
    expect(lookAgainDelayMs(waitedMs)).toBe(expected);
  });
});
