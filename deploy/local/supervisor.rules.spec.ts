import { describe, expect, it } from '@jest/globals';
import { restartDelayMs } from './supervisor.rules.js';

describe(restartDelayMs.name, () => {
  it('begins short', () => {
    expect(restartDelayMs(undefined, 10)).toBe(500);
  });

  it('doubles for a program that keeps dying, up to ten seconds', () => {
    const delays: number[] = [];
    for (let previous: number | undefined; delays.length < 7; previous = delays.at(-1)) {
      delays.push(restartDelayMs(previous, 1000));
    }
    expect(delays).toEqual([500, 1000, 2000, 4000, 8000, 10_000, 10_000]);
  });

  it('begins short again for one that has lived for half a minute', () => {
    expect(restartDelayMs(10_000, 29_999)).toBe(10_000);
    expect(restartDelayMs(10_000, 30_000)).toBe(500);
  });
});
