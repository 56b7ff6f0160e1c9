import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { backoffMs, retryThroughOutage, withJitter } from './backoff.js';

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

describe(retryThroughOutage.name, () => {
  /** Fails so many times, then succeeds. */
  const failing = (failures: number) => {
    let calls = 0;
    return () => {
      calls += 1;
      return calls > failures ? Promise.resolve(calls) : Promise.reject(new Error(`call ${calls}`));
    };
  };

  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('repeats failed work, and reports each failure', async () => {
    const failures: unknown[] = [];
    const result = retryThroughOutage(failing(4), (error) => failures.push(String(error)));
    await jest.advanceTimersByTimeAsync(7000);
    await expect(result).resolves.toBe(5);
    expect(failures).toEqual(['Error: call 1', 'Error: call 2', 'Error: call 3', 'Error: call 4']);
  });

  it('rejects with the fifth failure', async () => {
    const result = retryThroughOutage(failing(5), () => undefined);
    await Promise.all([
      expect(result).rejects.toThrow('call 5'),
      jest.advanceTimersByTimeAsync(7000),
    ]);
  });
});
