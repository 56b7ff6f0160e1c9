import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cutText } from './notification-text.rules.js';

describe(cutText.name, () => {
  it('leaves 200 characters as they are, and cuts more', () => {
    expect(cutText('x'.repeat(200))).toBe('x'.repeat(200));
    expect(cutText('x'.repeat(201))).toBe(`${'x'.repeat(200)}…`);
  });

  it('counts an emoji once and never cuts one in two', () => {
    expect(cutText('🍲'.repeat(200))).toBe('🍲'.repeat(200));
    expect(cutText(`x${'🍲'.repeat(200)}`)).toBe(`x${'🍲'.repeat(199)}…`);
  });

  it('keeps the beginning of whatever text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.nat(40), (text, limit) => {
        const characters = [...text];
        const expected =
          characters.length <= limit ? text : `${characters.slice(0, limit).join('')}…`;
        expect(cutText(text, limit)).toBe(expected);
      }),
    );
  });
});
