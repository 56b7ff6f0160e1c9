import { describe, expect, it } from '@jest/globals';
import { latencyText, percentile } from './percentile.js';

const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);

describe(percentile.name, () => {
  it.each([
    [[7], 0.99, 7],
    [[3, 1, 2], 0.5, 2],
    [[4, 3, 2, 1], 0.5, 2],
    [hundred, 0.99, 99],
    [hundred, 1, 100],
    [hundred, 0, 1],
  ])('of %j at %d is %d', (values, part, expected) => {
    expect(percentile(values, part)).toBe(expected);
  });

  it('is NaN without values', () => {
    expect(percentile([], 0.5)).toBeNaN();
  });
});

describe(latencyText.name, () => {
  it('shows the median and the 99th percentile', () => {
    expect(latencyText(hundred)).toBe('p50 50.0 ms, p99 99.0 ms');
  });
});
