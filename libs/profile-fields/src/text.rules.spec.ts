import { describe, expect, it } from '@jest/globals';
import { isBroken, isLongerThan } from './text.rules.js';

describe(isLongerThan.name, () => {
  it.each(['', 'abc', '🙂🙂🙂'])('takes "%s" as at most three characters', (text) => {
    expect(isLongerThan(3, text)).toBe(false);
  });

  it.each(['abcd', '🙂🙂🙂🙂', 'a🙂🙂🙂', 'x'.repeat(1000)])('takes "%s" as longer', (text) => {
    expect(isLongerThan(3, text)).toBe(true);
  });
});

describe(isBroken.name, () => {
  it.each(['\uD83D', 'a\uDE42', '\uDE42\uD83D'])('finds half a character in %j', (text) => {
    expect(isBroken(text)).toBe(true);
  });

  it.each(['', 'abc', '🙂', 'é'])('finds whole ones in "%s"', (text) => {
    expect(isBroken(text)).toBe(false);
  });
});
