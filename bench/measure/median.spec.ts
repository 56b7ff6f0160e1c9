import { describe, expect, it } from '@jest/globals';
import { median } from './median.js';

describe(median.name, () => {
  it.each([
    [[7], 7],
    [[9, 1, 5], 5],
    [[10, 2], 6],
    [[4, 1, 30, 2], 3],
  ])('of %j is %d', (values, expected) => {
    expect(median(values)).toBe(expected);
  });

  it('is NaN without values', () => {
    expect(median([])).toBeNaN();
  });
});
