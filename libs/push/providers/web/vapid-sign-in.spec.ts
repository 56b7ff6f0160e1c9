import { createPublicKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { jwtVerify } from 'jose';
import { makeVapidKeyPair, privateKeyOf, type VapidKey } from './vapid-key.js';
import { VapidSignIn } from './vapid-sign-in.js';

const HOUR_MS = 3_600_000;
const contact = 'mailto:ops@example.org';

function newKey(id: number): VapidKey {
  const { publicKey, privateKey } = makeVapidKeyPair();
  return {
    id,
    publicKey: publicKey.toString('base64url'),
    privateKey: privateKeyOf(privateKey, publicKey),
  };
}

const key = newKey(1);
let now = Date.now();
const signIn = () => new VapidSignIn(contact, () => now);

/** The point and the claims of a header; rejects for a signature of another key. */
async function read(header: string) {
  const [, token = '', point = ''] = /^vapid t=([\w.-]+), k=([\w-]{87})$/.exec(header) ?? [];
  const bytes = Buffer.from(point, 'base64url');
  const publicKey = createPublicKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      x: bytes.subarray(1, 33).toString('base64url'),
      y: bytes.subarray(33).toString('base64url'),
    },
  });
  const { payload, protectedHeader } = await jwtVerify(token, publicKey);
  return { point, payload, protectedHeader };
}

describe(VapidSignIn.name, () => {
  it('signs audience, end and contact by ES256', async () => {
    const header = await signIn().authorizationFor('https://push.example.org:8443', key);
    const { point, payload, protectedHeader } = await read(header);
    expect(point).toBe(key.publicKey);
    expect(protectedHeader).toEqual({ typ: 'JWT', alg: 'ES256' });
    expect(payload).toEqual({
      aud: 'https://push.example.org:8443',
      exp: Math.floor((now + 12 * HOUR_MS) / 1000),
      sub: contact,
    });
  });

  it('uses a token for six hours, and then makes another', async () => {
    const sut = signIn();
    const header = () => sut.authorizationFor('https://a.test', key);
    const first = await header();
    now += 6 * HOUR_MS - 1;
    expect(await header()).toBe(first);
    now += 1;
    expect(await header()).not.toBe(first);
  });

  it('has a token for each origin and key', async () => {
    const sut = signIn();
    const headers = await Promise.all([
      sut.authorizationFor('https://a.test', key),
      sut.authorizationFor('https://b.test', key),
      sut.authorizationFor('https://a.test', newKey(2)),
    ]);
    expect(new Set(headers).size).toBe(3);
  });
});

describe(privateKeyOf.name, () => {
  it('refuses the key of another point', () => {
    const { privateKey } = makeVapidKeyPair();
    expect(() => privateKeyOf(privateKey, makeVapidKeyPair().publicKey)).toThrow(
      'Not the private key',
    );
  });
});
