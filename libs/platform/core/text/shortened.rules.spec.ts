import { describe, expect, it } from '@jest/globals';
import { shortened } from './shortened.rules.js';

describe(shortened.name, () => {
  it.each(['', 'abcde', '😀😀😀😀😀'])('keeps %j', (text) => {
    expect(shortened(text, 5, '...')).toBe(text);
  });

  it.each([
    ['abcdef', 'ab...'],
    ['😀😀😀😀😀😀', '😀😀...'],
    ['ab😀defghijklm', 'ab...'],
    [`a${'😀'.repeat(1000)}`, 'a😀...'],
  ])('shortens %j', (text, expected) => {
    expect(shortened(text, 5, '...')).toBe(expected);
  });
});
