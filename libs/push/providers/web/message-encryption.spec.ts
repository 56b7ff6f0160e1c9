import { createECDH, randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import ece from 'http_ece';
import {
  areSubscriptionKeys,
  encryptMessage,
  encryptRecord,
  isPoint,
  MAX_TEXT_BYTES,
  padded,
} from './message-encryption.js';

const bytes = (text: string) => Buffer.from(text, 'base64url');

/** RFC 8291, appendix A. */
const vectors = {
  text: 'V2hlbiBJIGdyb3cgdXAsIEkgd2FudCB0byBiZSBhIHdhdGVybWVsb24',
  serverKey: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
  serverPoint:
    'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8',
  clientKey: 'q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94',
  clientPoint:
    'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  salt: 'DGv6ra1nlYgDCS1FRnbzlw',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  body:
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl' +
    '7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
};

/** A subscription, and what opens its messages. */
function newSubscription() {
  const client = createECDH('prime256v1');
  client.generateKeys();
  return { client, keys: { p256dh: client.getPublicKey(), auth: randomBytes(16) } };
}

type Subscription = ReturnType<typeof newSubscription>;

const encrypted = (...given: Parameters<typeof encryptMessage>): Buffer =>
  encryptMessage(...given) ?? Buffer.alloc(0);

/** Opens a body by a library, without its padding. */
const opened = ({ client, keys }: Subscription, body: Buffer): string =>
  ece.decrypt(body, { version: 'aes128gcm', privateKey: client, authSecret: keys.auth }).toString();

describe(encryptRecord.name, () => {
  it('makes the body of RFC 8291, appendix A', () => {
    const ephemeral = createECDH('prime256v1');
    ephemeral.setPrivateKey(bytes(vectors.serverKey));
    expect(ephemeral.getPublicKey('base64url')).toBe(vectors.serverPoint);
    const keys = { p256dh: bytes(vectors.clientPoint), auth: bytes(vectors.auth) };
    const record = Buffer.concat([bytes(vectors.text), Buffer.of(2)]);
    const body = encryptRecord(keys, record, { ephemeral, salt: bytes(vectors.salt) });
    expect(body.toString('base64url')).toBe(vectors.body);
  });
});

describe(encryptMessage.name, () => {
  it('makes bodies that a library opens', () => {
    const subscription = newSubscription();
    fc.assert(
      fc.property(fc.string({ maxLength: 600, unit: 'grapheme' }), (text) => {
        const cut = Buffer.byteLength(text) > MAX_TEXT_BYTES ? 'long' : text;
        expect(opened(subscription, encrypted(subscription.keys, cut))).toBe(cut);
      }),
    );
  });

  it.each([
    [0, 256],
    [1, 256],
    [256, 256],
    [257, 512],
    [2560, 2560],
    [2561, MAX_TEXT_BYTES],
    [MAX_TEXT_BYTES, MAX_TEXT_BYTES],
  ])('pads %i bytes to %i', (length, expected) => {
    const subscription = newSubscription();
    const text = 'x'.repeat(length);
    const body = encrypted(subscription.keys, text);
    expect(body).toHaveLength(86 + expected + 1 + 16);
    expect(body.length).toBeLessThanOrEqual(2744);
    expect(opened(subscription, body)).toBe(text);
    expect(padded(Buffer.from(text))).toHaveLength(expected + 1);
  });

  it('makes one record, which says the size of 4096', () => {
    const { keys } = newSubscription();
    const body = encrypted(keys, 'x'.repeat(MAX_TEXT_BYTES));
    expect(body.readUInt32BE(16)).toBe(4096);
    expect(body.length - 86).toBeLessThanOrEqual(4096);
  });

  it('takes another key and another salt for each message', () => {
    const { keys } = newSubscription();
    const heads = Array.from({ length: 50 }, () =>
      encrypted(keys, 'text').subarray(0, 86).toString('hex'),
    );
    expect(new Set(heads.map((head) => head.slice(0, 32))).size).toBe(50);
    expect(new Set(heads.map((head) => head.slice(42))).size).toBe(50);
  });

  it('refuses a longer text', () => {
    const { keys } = newSubscription();
    expect(() => encryptMessage(keys, 'x'.repeat(MAX_TEXT_BYTES + 1))).toThrow(RangeError);
  });
});

describe(areSubscriptionKeys.name, () => {
  const { keys } = newSubscription();
  const offCurve = Buffer.concat([keys.p256dh.subarray(0, 64), Buffer.of(keys.p256dh[64]! ^ 1)]);

  it('takes the keys of a client', () => {
    expect(areSubscriptionKeys(keys)).toBe(true);
  });

  it.each([
    ['a point that is not on the curve', { ...keys, p256dh: offCurve }],
    ['a compressed point', { ...keys, p256dh: keys.p256dh.subarray(0, 33) }],
    ['no point', { ...keys, p256dh: Buffer.alloc(65) }],
    ['the point at infinity', { ...keys, p256dh: Buffer.concat([Buffer.of(4), Buffer.alloc(64)]) }],
    ['a shorter secret', { ...keys, auth: Buffer.alloc(15) }],
    ['a longer secret', { ...keys, auth: Buffer.alloc(17) }],
  ])('refuses %s', (_, given) => {
    expect(areSubscriptionKeys(given)).toBe(false);
    expect(encryptMessage(given, 'text')).toBeNull();
  });

  it('refuses every other text of bytes, and never throws', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 70 }), (given) => {
        expect(isPoint(given)).toBe(false);
      }),
    );
  });
});
