import { describe, expect, it } from '@jest/globals';
import { Distribution } from './distribution.js';

describe(Distribution.name, () => {
  it('cumulates buckets, whose upper bounds are inclusive', () => {
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

  it('has a constant label in each line', () => {
    const sut = new Distribution([1]);
    sut.observe(0.5);
    expect(sut.lines('size', 'store="redis"')).toEqual([
      'size_bucket{store="redis",le="1"} 1',
      'size_bucket{store="redis",le="+Inf"} 1',
      'size_sum{store="redis"} 0.5',
      'size_count{store="redis"} 1',
    ]);
  });
});
