import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { normalizeFullName } from './full-name.rules.js';

describe(normalizeFullName.name, () => {
  it.each([
    ['Alice', 'Alice'],
    ['  Alice Liddell\n', 'Alice Liddell'],
    ['李雷', '李雷'],
    ["O'Brien-Smith, Jr. (they)", "O'Brien-Smith, Jr. (they)"],
    ['a|b', 'a|b'],
    ['12|34 x', '12|34 x'],
    ['🙂🙂', '🙂🙂'],
    ['x'.repeat(100), 'x'.repeat(100)],
    ['🙂'.repeat(100), '🙂'.repeat(100)],
    [` ${'x'.repeat(100)} `, 'x'.repeat(100)],
  ])('takes %j', (given, stored) => {
    expect(normalizeFullName(given)).toBe(stored);
  });

  it.each([
    ['x'.repeat(101), 'Name too long!'],
    ['🙂'.repeat(101), 'Name too long!'],
    ['*'.repeat(101), 'Name too long!'],
    ['', 'Name too short!'],
    ['  x  ', 'Name too short!'],
    ['🙂', 'Name too short!'],
    ...[...'*`\\>"@'].map((sign) => [`ab${sign}cd`, 'Invalid characters in name!']),
    ['ab\u0007cd', 'Invalid characters in name!'],
    ['ab\u202Ecd', 'Invalid characters in name!'],
    ['ab\u2028cd', 'Invalid characters in name!'],
    ['ab\uD800', 'Invalid characters in name!'],
    ['Alice|5', 'Invalid format!'],
    ['Alice|123 ', 'Invalid format!'],
  ])('refuses %j', (given, text) => {
    expect(() => normalizeFullName(given)).toThrow(text);
  });

  it('does not change a normalised name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 2, maxLength: 20 }), (given) => {
        let stored: string;
        try {
          stored = normalizeFullName(given);
        } catch {
          return;
        }
        expect(normalizeFullName(stored)).toBe(stored);
      }),
    );
  });
});
