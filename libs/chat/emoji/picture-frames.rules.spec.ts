import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { framesOf } from './picture-frames.rules.js';
import { animatedGif, animatedPng, animatedWebp } from './picture-frames.fixture.js';

const formats = [
  ['gif', animatedGif],
  ['png', animatedPng],
  ['webp', animatedWebp],
] as const;

describe(framesOf.name, () => {
  it.each(formats)('reads the frames of a %s', (format, make) => {
    expect(framesOf(make([]), format)).toEqual({ count: 0, maxSide: 0 });
    expect(framesOf(make([[5, 7]]), format)).toEqual({ count: 1, maxSide: 7 });
    const many = Array.from({ length: 600 }, (): [number, number] => [1, 1]);
    expect(framesOf(make([...many, [65_000, 2]]), format)).toEqual({ count: 601, maxSide: 65_000 });
  });

  it('reads none of a JPEG', () => {
    expect(framesOf(Buffer.alloc(100, 0xff), 'jpg')).toEqual({ count: 0, maxSide: 0 });
  });

  it('ends for any bytes, at most with those frames', () => {
    const make = fc.constantFrom(...formats);
    fc.assert(
      fc.property(
        make,
        fc.nat(80),
        fc.uint8Array({ maxLength: 300 }),
        ([format, of], kept, rest) => {
          const file = Buffer.concat([of([[1, 1]]).subarray(0, kept), rest]);
          expect(framesOf(file, format).count).toBeLessThanOrEqual(file.length);
        },
      ),
    );
  });
});
