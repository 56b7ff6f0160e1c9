import { describe, expect, it } from '@jest/globals';
import { addToCount } from './add-to-count.js';

describe(addToCount.name, () => {
  it('counts each key, and removes a count of zero', () => {
    const counts = new Map<string, number>();
    addToCount(counts, 'a', 2);
    addToCount(counts, 'b', 1);
    addToCount(counts, 'a', -1);
    expect([...counts]).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
    addToCount(counts, 'a', -1);
    expect([...counts]).toEqual([['b', 1]]);
  });
});
