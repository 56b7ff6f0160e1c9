import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { byteRangeOf } from './file-answer.interceptor.js';

describe(byteRangeOf.name, () => {
  it.each([
    ['bytes=0-0', { first: 0, last: 0 }],
    ['bytes=2-5', { first: 2, last: 5 }],
    ['bytes=9-', { first: 9, last: 9 }],
    ['bytes=4-1000', { first: 4, last: 9 }],
    ['bytes=-3', { first: 7, last: 9 }],
    ['bytes=-1000', { first: 0, last: 9 }],
    [' bytes=0- ', { first: 0, last: 9 }],
  ])('reads %j of ten bytes', (header, range) => {
    expect(byteRangeOf(header, 10)).toEqual(range);
  });

  it.each(['bytes=10-', 'bytes=10-12', 'bytes=-0'])('cannot satisfy %j of ten bytes', (header) => {
    expect(byteRangeOf(header, 10)).toBe('unsatisfiable');
  });

  it.each([undefined, '', 'bytes=-', 'bytes=5-2', 'bytes=0-1,4-5', 'lines=1-2', 'bytes=a-b'])(
    'takes %j for the whole file',
    (header) => {
      expect(byteRangeOf(header, 10)).toBeNull();
    },
  );

  it('is always within the file', () => {
    fc.assert(
      fc.property(fc.nat(), fc.option(fc.nat()), fc.nat(), (from, to, sizeBytes) => {
        const range = byteRangeOf(`bytes=${from}-${to ?? ''}`, sizeBytes);
        if (range === null || range === 'unsatisfiable') return;
        expect(range.first).toBeLessThanOrEqual(range.last);
        expect(range.last).toBeLessThan(sizeBytes);
      }),
    );
  });
});
