import { describe, expect, it } from '@jest/globals';
import { Distribution } from './distribution.js';

describe(Distribution.name, () => {
  it('adds steps up, a value at a bound with those below it', () => {
    const sut = new Distribution([1, 10]);
    for (const value of [0.5, 1, 10, 11]) sut.observe(value);
    expect(sut.lines('size')).toEqual([
      'size_bucket{le="1"} 2',
      'size_bucket{le="10"} 3',
      'size_bucket{le="+Inf"} 4',
      'size_sum 22.5',
      'size_count 4',
    ]);
  });
});
