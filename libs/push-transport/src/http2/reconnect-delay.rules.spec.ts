import { describe, expect, it } from '@jest/globals';
import { reconnectDelayMs } from './reconnect-delay.rules.js';

describe(reconnectDelayMs.name, () => {
  it.each([
    [1, 0, 100],
    [1, 0.999, 50],
    [3, 0, 400],
    [7, 0, 5000],
    [1000, 0, 5000],
    [1000, 0.5, 3750],
  ])('after %d failures, by chance %d, is about %d', (failures, chance, expected) => {
    expect(reconnectDelayMs(failures, chance)).toBeCloseTo(expected, -1);
  });
});
