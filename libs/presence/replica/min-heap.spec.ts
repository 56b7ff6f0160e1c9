import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MinHeap } from './min-heap.js';

describe(MinHeap.name, () => {
  it('returns values in the order of their ids, up to the limit', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(50)), fc.nat(50), (ids, limit) => {
        const sut = new MinHeap<number>();
        for (const id of ids) sut.add(id, id);
        const taken: number[] = [];
        for (let id = sut.takeUpTo(limit); id !== undefined; id = sut.takeUpTo(limit)) {
          taken.push(id);
        }
        const expected = ids.filter((id) => id <= limit).toSorted((a, b) => a - b);
        expect(taken).toEqual(expected);
        expect(sut.size).toBe(ids.length - taken.length);
      }),
    );
  });

  it('is empty when cleared', () => {
    const sut = new MinHeap<string>();
    sut.add(1, 'one');
    sut.clear();
    expect(sut.takeUpTo(Infinity)).toBeUndefined();
  });
});
