import { describe, expect, it } from '@jest/globals';
import { serviceRetryDelayMs } from './retry-delay.js';

const failure = { kind: 'unreachable' } as const;

describe(serviceRetryDelayMs.name, () => {
  it.each([
    [1, 5000],
    [2, 10_000],
    [8, 640_000],
    [9, 900_000],
    [1000, 900_000],
  ])('is after %d failures %d ms, and at most half as much again', (failures, leastMs) => {
    const delayMs = serviceRetryDelayMs(failures, failure);
    expect(delayMs).toBeGreaterThanOrEqual(leastMs);
    expect(delayMs).toBeLessThanOrEqual(leastMs * 1.5);
  });

  it('grows up to the given maximum', () => {
    expect(serviceRetryDelayMs(9, failure, 60_000)).toBeLessThanOrEqual(90_000);
  });

  it('is no shorter than the pause that the service asks for', () => {
    const answer = { kind: 'refused', retryAfterMs: 3_600_000 };
    expect(serviceRetryDelayMs(1, answer)).toBe(3_600_000);
    expect(serviceRetryDelayMs(1, { ...answer, retryAfterMs: 1 })).toBeGreaterThanOrEqual(5000);
  });
});
