import { describe, expect, it } from '@jest/globals';
import { crashesInARow, restartDelayMs } from './supervisor.js';

describe(restartDelayMs.name, () => {
  it('doubles the delay of a program that keeps crashing, from a short one to ten seconds', () => {
    const delays: number[] = [];
    for (let deaths = 0; delays.length < 7;) {
      deaths = crashesInARow(deaths, 1000);
      delays.push(restartDelayMs(deaths));
    }
    expect(delays).toEqual([500, 1000, 2000, 4000, 8000, 10_000, 10_000]);
  });
});

describe(crashesInARow.name, () => {
  it('resets the count for a program that has run for half a minute', () => {
    expect(crashesInARow(5, 29_999)).toBe(6);
    expect(crashesInARow(5, 30_000)).toBe(1);
  });
});
