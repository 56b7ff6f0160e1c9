import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { boundedLabel } from './bounded-label.rules.js';

describe(boundedLabel.name, () => {
  it('passes documented reasons', () => {
    const sut = boundedLabel(10);
    expect(['TooManyRequests', 'UNAVAILABLE', 'status 503'].map(sut)).toEqual([
      'TooManyRequests',
      'UNAVAILABLE',
      'status 503',
    ]);
  });

  it('maps other texts to one value', () => {
    const sut = boundedLabel(10);
    expect(sut('<html>')).toBe('other');
    expect(sut('')).toBe('other');
    expect(sut('x'.repeat(61))).toBe('other');
  });

  it('passes only known reasons after the limit', () => {
    const sut = boundedLabel(1);
    expect(['a', 'b', 'a'].map(sut)).toEqual(['a', 'other', 'a']);
  });

  it('never has more values than its limit', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 200 }), fc.nat(20), (reasons, most) => {
        expect(new Set(reasons.map(boundedLabel(most))).size).toBeLessThanOrEqual(most + 1);
      }),
    );
  });
});
