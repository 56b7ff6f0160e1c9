import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import {
  API_KEY_PATTERN,
  generateApiKey,
  hashApiKey,
  openSealedApiKey,
  sealApiKey,
} from './api-key.js';

describe(generateApiKey.name, () => {
  const keys = Array.from({ length: 2000 }, generateApiKey);

  it('makes keys of the form of every key, each another one', () => {
    expect(keys.filter((key) => !API_KEY_PATTERN.test(key))).toEqual([]);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('uses all letters and digits', () => {
    expect(new Set(keys.join('')).size).toBe(62);
  });
});

describe(hashApiKey.name, () => {
  it('is the SHA-256 digest', () => {
    expect(hashApiKey('abc').toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });
});

describe(sealApiKey.name, () => {
  const secret = randomBytes(32);

  it('gives back what was sealed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (key) => {
        expect(openSealedApiKey(sealApiKey(key, secret), secret)).toBe(key);
      }),
    );
  });

  it('seals the same key differently each time, and never in the clear', () => {
    const key = generateApiKey();
    const sealed = sealApiKey(key, secret);
    expect(sealApiKey(key, secret).equals(sealed)).toBe(false);
    expect(sealed.includes(key)).toBe(false);
  });

  it('refuses bytes that were changed, wherever', () => {
    const sealed = sealApiKey(generateApiKey(), secret);
    for (const index of sealed.keys()) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
      expect(() => openSealedApiKey(changed, secret)).toThrow('unable to authenticate');
    }
  });

  it.each([0, 12, 27])('refuses bytes that were cut to %i', (length) => {
    const sealed = sealApiKey(generateApiKey(), secret);
    expect(() => openSealedApiKey(sealed.subarray(0, length), secret)).toThrow(/^Invalid/);
  });

  it('refuses another secret', () => {
    const sealed = sealApiKey(generateApiKey(), secret);
    expect(() => openSealedApiKey(sealed, randomBytes(32))).toThrow('unable to authenticate');
  });
});
