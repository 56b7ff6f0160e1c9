import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { boundedLabel } from './bounded-label.rules.js';

describe(boundedLabel.name, () => {
  it('lets reasons through as they are spelt', () => {
    const sut = boundedLabel(10);
    expect(['TooManyRequests', 'UNAVAILABLE', 'status 503'].map(sut)).toEqual([
      'TooManyRequests',
      'UNAVAILABLE',
      'status 503',
    ]);
  });

  it('puts what is no reason under one name', () => {
    const sut = boundedLabel(10);
    expect(sut('<html>')).toBe('other');
    expect(sut('')).toBe('other');
    expect(sut('x'.repeat(61))).toBe('other');
  });

  it('goes on with those that it knows when it knows enough', () => {
    const sut = boundedLabel(1);
    expect(['a', 'b', 'a'].map(sut)).toEqual(['a', 'other', 'a']);
  });

  it('never makes more values than it may, whatever the other side says', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 200 }), fc.nat(20), (reasons, most) => {
        expect(new Set(reasons.map(boundedLabel(most))).size).toBeLessThanOrEqual(most + 1);
      }),
    );
  });
});
