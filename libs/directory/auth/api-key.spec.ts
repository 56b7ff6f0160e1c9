import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  API_KEY_PATTERN,
  generateApiKey,
  hashApiKey,
  openSealedApiKey,
  sealApiKey,
} from './api-key.js';

describe(generateApiKey.name, () => {
  const keys = Array.from({ length: 2000 }, generateApiKey);

  it('generates unique keys of the right format', () => {
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
  const stored = (key: string) => ({
    apiKeySealed: sealApiKey(key, secret),
    apiKeyHash: hashApiKey(key),
  });

  it('encrypts a key with the secret', () => {
    const key = generateApiKey();
    const sealed = stored(key);
    expect(sealed.apiKeySealed.includes(key)).toBe(false);
    expect(openSealedApiKey(sealed, secret)).toBe(key);
    expect(() => openSealedApiKey(sealed, randomBytes(32))).toThrow('unable to authenticate');
  });

  it.each(['of another account', 'cut off'])(
    'decrypts a key only with its own hash: %s',
    (what) => {
      const [sealed, other] = [stored(generateApiKey()), stored(generateApiKey())];
      const apiKeyHash = what === 'cut off' ? sealed.apiKeyHash.subarray(1) : other.apiKeyHash;
      expect(() => openSealedApiKey({ ...sealed, apiKeyHash }, secret)).toThrow('does not match');
    },
  );
});
