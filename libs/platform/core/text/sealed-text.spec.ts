import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { deriveKey, openSealedText, sealText } from './sealed-text.js';

const TEXT = 'a text that nobody is to read';

describe(sealText.name, () => {
  const key = randomBytes(32);

  it('can be decrypted', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(openSealedText(sealText(text, key), key)).toBe(text);
      }),
    );
  });

  it('encrypts the same text differently each time', () => {
    const sealed = sealText(TEXT, key);
    expect(sealText(TEXT, key).equals(sealed)).toBe(false);
    expect(sealed.includes(TEXT)).toBe(false);
  });

  it('rejects bytes with a change at any position', () => {
    const sealed = sealText(TEXT, key);
    for (const index of sealed.keys()) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
      expect(() => openSealedText(changed, key)).toThrow('unable to authenticate');
    }
  });

  it.each([0, 12, 27])('rejects bytes that were truncated to %i', (length) => {
    const sealed = sealText(TEXT, key);
    expect(() => openSealedText(sealed.subarray(0, length), key)).toThrow(/^Invalid/);
  });

  it('rejects another key', () => {
    const sealed = sealText(TEXT, key);
    expect(() => openSealedText(sealed, randomBytes(32))).toThrow('unable to authenticate');
  });
});

describe(deriveKey.name, () => {
  const secret = randomBytes(32);

  it('derives the same usable key from the same secret and purpose', () => {
    const key = deriveKey(secret, 'letters');
    expect(deriveKey(secret, 'letters').equals(key)).toBe(true);
    expect(openSealedText(sealText(TEXT, key), deriveKey(secret, 'letters'))).toBe(TEXT);
  });

  it('derives another key for another purpose or secret', () => {
    const keys = [
      secret,
      deriveKey(secret, 'letters'),
      deriveKey(secret, 'parcels'),
      deriveKey(randomBytes(32), 'letters'),
    ];
    expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(keys.length);
  });
});
