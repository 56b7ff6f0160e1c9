import { describe, expect, it } from '@jest/globals';
import { hasUnpairedSurrogate, isLongerThan } from './text.rules.js';

describe(isLongerThan.name, () => {
  it.each(['', 'abc', '🙂🙂🙂'])('counts "%s" as at most three characters', (text) => {
    expect(isLongerThan(3, text)).toBe(false);
  });

  it.each(['abcd', '🙂🙂🙂🙂', 'a🙂🙂🙂', 'x'.repeat(1000)])('counts "%s" as longer', (text) => {
    expect(isLongerThan(3, text)).toBe(true);
  });
});

describe(hasUnpairedSurrogate.name, () => {
  it.each(['\uD83D', 'a\uDE42', '\uDE42\uD83D'])('finds an unpaired surrogate in %j', (text) => {
    expect(hasUnpairedSurrogate(text)).toBe(true);
  });

  it.each(['', 'abc', '🙂', 'é'])('accepts "%s"', (text) => {
    expect(hasUnpairedSurrogate(text)).toBe(false);
  });
});
