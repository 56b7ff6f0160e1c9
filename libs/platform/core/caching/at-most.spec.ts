import { describe, expect, it } from '@jest/globals';
import { LRUCache } from 'lru-cache';
import { atMost } from './at-most.js';

describe(atMost.name, () => {
  it('limits the number of entries of a cache, and lets the oldest go', () => {
    const sut = new LRUCache<string, number>(atMost(2));
    for (const [index, key] of ['a', 'b', 'c'].entries()) sut.set(key, index);
    expect([...sut.keys()]).toEqual(['c', 'b']);
    expect(sut.size).toBe(2);
  });

  it('reserves no memory for missing entries', () => {
    const before = process.memoryUsage().heapUsed;
    const caches = Array.from({ length: 10 }, () => new LRUCache(atMost(1_000_000)));
    const grown = process.memoryUsage().heapUsed - before;
    expect(caches).toHaveLength(10);
    expect(grown).toBeLessThan(10_000_000);
  });
});
