import { describe, expect, it } from '@jest/globals';
import { languageCodes, languageName } from './languages.rules.js';

describe(languageName.name, () => {
  it.each([
    ['de', 'Deutsch'],
    ['en', 'English'],
    ['pt-br', 'português (Brasil)'],
    ['zh-hans', '简体中文'],
  ])('is, for %s, %s', (code, name) => {
    expect(languageName(code)).toBe(name);
  });

  it.each(languageCodes)('is known for %s', (code) => {
    expect(languageName(code)).not.toBe(code);
  });
});
