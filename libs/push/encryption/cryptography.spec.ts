import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import {
  decryptPayload,
  encryptPayload,
  isPair,
  isPushKey,
  makePushKey,
  makeServiceKeyPair,
  openSealed,
  sealTo,
  tokenIdOf,
} from './cryptography.js';
import { vectors } from './cryptography.fixture.js';

/** The same bytes with one bit changed. */
function flipped(bytes: Buffer, bit: number): Buffer {
  const changed = Buffer.from(bytes);
  changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
  return changed;
}

const bytesOf = (length: number) => Array.from({ length }, (_, index) => index);

const fromBase64 = (text: string) => Buffer.from(text, 'base64');

describe(makeServiceKeyPair.name, () => {
  it('derives the pair of the protocol from a seed', () => {
    const pair = makeServiceKeyPair(Uint8Array.from(bytesOf(32)));
    expect(pair.privateKey.toString('base64')).toBe(vectors.service.privateKey);
    expect(pair.publicKey.toString('base64')).toBe(vectors.service.publicKey);
  });

  it('makes another pair each time', () => {
    const [one, other] = [makeServiceKeyPair(), makeServiceKeyPair()];
    expect(one.privateKey.equals(other.privateKey)).toBe(false);
    expect(isPair(one)).toBe(true);
    expect(isPair({ ...one, publicKey: other.publicKey })).toBe(false);
  });
});

describe(openSealed.name, () => {
  const pair = makeServiceKeyPair(Uint8Array.from(bytesOf(32)));

  it.each(vectors.registrations)('opens a registration of the protocol: $plain', (vector) => {
    expect(openSealed(pair, fromBase64(vector.sealed))?.toString()).toBe(vector.plain);
  });

  it('opens what was sealed to its key', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), (bytes) => {
        expect(openSealed(pair, sealTo(pair.publicKey, bytes))).toEqual(Buffer.from(bytes));
      }),
    );
  });

  it('seals the same bytes differently each time', () => {
    const bytes = Buffer.from('a token');
    expect(sealTo(pair.publicKey, bytes).equals(sealTo(pair.publicKey, bytes))).toBe(false);
  });

  it('refuses a change of any bit', () => {
    const sealed = sealTo(pair.publicKey, Buffer.from('a token'));
    const bits = bytesOf(sealed.length * 8);
    expect(bits.filter((bit) => openSealed(pair, flipped(sealed, bit)) !== null)).toEqual([]);
  });

  it.each([0, 1, 31, 47])('refuses %i bytes', (length) => {
    expect(openSealed(pair, randomBytes(length))).toBeNull();
  });

  it('refuses what was sealed to another key', () => {
    const sealed = sealTo(makeServiceKeyPair().publicKey, Buffer.from('a token'));
    expect(openSealed(pair, sealed)).toBeNull();
  });
});

describe(encryptPayload.name, () => {
  const key = makePushKey();

  it('encrypts as the protocol does', () => {
    const nonce = Uint8Array.from(bytesOf(24), (index) => index + 1);
    const { pushKey, plain, encrypted } = vectors.payload;
    expect(encryptPayload(fromBase64(pushKey), plain, nonce)).toBe(encrypted);
    expect(decryptPayload(fromBase64(pushKey), encrypted)).toBe(plain);
  });

  it('can be decrypted', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 3000 }), (text) => {
        expect(decryptPayload(key, encryptPayload(key, text))).toBe(text);
      }),
    );
  });

  it('takes another nonce each time', () => {
    const nonces = bytesOf(200).map(() => encryptPayload(key, 'text').slice(0, 32));
    expect(new Set(nonces).size).toBe(200);
  });

  it('cannot be decrypted after a change of any bit', () => {
    const encrypted = fromBase64(encryptPayload(key, 'a text that nobody is to change'));
    const accepted = bytesOf(encrypted.length * 8).filter(
      (bit) => decryptPayload(key, flipped(encrypted, bit).toString('base64')) !== null,
    );
    expect(accepted).toEqual([]);
  });

  it('cannot be decrypted with another key, or when it is too short', () => {
    expect(decryptPayload(makePushKey(), encryptPayload(key, 'text'))).toBeNull();
    expect(decryptPayload(key, randomBytes(39).toString('base64'))).toBeNull();
    expect(decryptPayload(key, '')).toBeNull();
  });

  it('takes push keys only', () => {
    expect(isPushKey(key)).toBe(true);
    expect(isPushKey(randomBytes(32))).toBe(false);
    expect(isPushKey(Buffer.concat([Buffer.of(0x32), key.subarray(1)]))).toBe(false);
    expect(() => encryptPayload(randomBytes(32), 'text')).toThrow('Not a push key');
  });
});

describe(tokenIdOf.name, () => {
  it.each(vectors.tokens)('identifies $token', ({ token, id }) => {
    expect(tokenIdOf(token).toString('base64')).toBe(id);
  });
});
