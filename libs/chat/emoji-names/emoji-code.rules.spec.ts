import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { normalizeEmojiCode } from './emoji-code.rules.js';

describe(normalizeEmojiCode.name, () => {
  it.each([
    ['1f6e0', '1f6e0'],
    ['1f6e0-fe0f', '1f6e0'],
    ['1F6E0-FE0F', '1f6e0'],
    ['0023-fe0f-20e3', '0023-20e3'],
    ['1f3f3-fe0f-200d-1f308', '1f3f3-200d-1f308'],
    ['1f44d-1f3fd', '1f44d-1f3fd'],
    ['', ''],
    ['fe0f', ''],
  ])('normalizes %j to %j', (given, code) => {
    expect(normalizeEmojiCode(given)).toBe(code);
  });

  it('is idempotent', () => {
    fc.assert(
      fc.property(fc.string(), (given) => {
        const once = normalizeEmojiCode(given);
        expect(normalizeEmojiCode(once)).toBe(once);
      }),
    );
  });
});
