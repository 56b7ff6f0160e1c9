import { describe, expect, it } from '@jest/globals';
import { slicesOf } from './slices-of.js';

describe(slicesOf.name, () => {
  it.each([
    [[], []],
    [[1], [[1]]],
    [
      [1, 2, 3, 4],
      [
        [1, 2],
        [3, 4],
      ],
    ],
    [
      [1, 2, 3, 4, 5],
      [[1, 2], [3, 4], [5]],
    ],
  ])('divides %j into slices of two', (items, slices) => {
    expect(slicesOf<number>(items, 2)).toEqual(slices);
  });
});
