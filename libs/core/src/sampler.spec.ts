import { describe, expect, it } from '@jest/globals';
import { Sampler } from './sampler.js';

describe(Sampler.name, () => {
  it('lets one pass in each period, and says how many it stands for', () => {
    const sut = new Sampler(100);
    const times = [1, 2, 100, 101, 102, 400];
    expect(times.map((time) => sut.take(time))).toEqual([1, null, null, 3, null, 2]);
  });
});
