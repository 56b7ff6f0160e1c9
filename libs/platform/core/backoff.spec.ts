import { describe, expect, it } from '@jest/globals';
import { backoffMs, withJitter } from './backoff.js';

describe(backoffMs.name, () => {
  it.each([
    [1, 50],
    [2, 100],
    [5, 800],
    [6, 1000],
    [5000, 1000],
  ])('waits after %d failures for %d ms', (failures, expected) => {
    expect(backoffMs(failures, { firstMs: 50, maxMs: 1000 })).toBe(expected);
  });
});

describe(withJitter.name, () => {
  it.each([
    [0, 800],
    [0.5, 1000],
    [0.75, 1100],
  ])('for the random number %d turns 1000 ms into %d ms', (chance, expected) => {
    expect(withJitter(1000, { least: 0.8, most: 1.2 }, chance)).toBeCloseTo(expected);
  });

  it('stays in its range by default', () => {
    const delayMs = withJitter(1000, { least: 0.5, most: 1 });
    expect(delayMs).toBeGreaterThanOrEqual(500);
    expect(delayMs).toBeLessThan(1000);
  });
});
