import { describe, expect, it } from '@jest/globals';
import { maxAgedInHour } from './token-ageing.rules.js';

const HOUR_MS = 3_600_000;
const MIDNIGHT = Date.UTC(2026, 10, 23);

describe(maxAgedInHour, () => {
  it.each([
    [1, 1],
    [39, 1],
    [40, 2],
    [1000, 50],
    [123_456, 6172],
  ])('spreads 5 %% of %i tokens over a day, and at least one: %i', (tokens, expected) => {
    const hours = Array.from({ length: 24 }, (_, hour) =>
      maxAgedInHour(tokens, MIDNIGHT + hour * HOUR_MS + 1234),
    );
    expect(hours.reduce((sum, aged) => sum + aged, 0)).toBe(expected);
    expect(Math.max(...hours)).toBeLessThanOrEqual(Math.ceil(expected / 24));
  });
});
