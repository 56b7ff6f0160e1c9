import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  digestOf,
  expiryOf,
  faultOfApnsKey,
  faultOfCertificate,
  faultOfCertificateKey,
  nameOf,
} from './credential-check.rules.js';

const pem = { type: 'pkcs8', format: 'pem' } as const;
const appleKey = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .privateKey.export(pem)
  .toString();
const otherCurve = generateKeyPairSync('ec', { namedCurve: 'P-384' })
  .privateKey.export(pem)
  .toString();
const rsaKey = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export(pem)
  .toString();
const byKey = { kind: 'token', key: appleKey, keyId: 'KEY1234567', teamId: 'TEAM123456' } as const;

describe(faultOfApnsKey.name, () => {
  it.each([
    ['a key of Apple', appleKey, null],
    ['a key on another curve', otherCurve, 'expected a key on the curve P-256, found ec'],
    ['a key of another kind', rsaKey, 'expected a key on the curve P-256, found rsa'],
    ['no key', 'hunter2', 'expected a private key in PEM, as Apple gives it out (.p8)'],
    ['nothing', '', 'expected a private key in PEM, as Apple gives it out (.p8)'],
  ])('checks %s', (_what, text, fault) => {
    expect(faultOfApnsKey(text)).toBe(fault);
  });
});

describe(faultOfCertificate.name, () => {
  it('rejects an invalid certificate', () => {
    expect(faultOfCertificate(appleKey)).toBe('expected a certificate in PEM');
    expect(faultOfCertificateKey('hunter2', appleKey)).toMatch(/^expected a private key in PEM/);
    expect(faultOfCertificateKey(appleKey, 'none')).toMatch(/does not belong/);
  });
});

describe(nameOf.name, () => {
  it('names a key by its ids, without an expiry', () => {
    expect(nameOf(byKey)).toBe('TEAM123456/KEY1234567');
    expect(expiryOf(byKey)).toBe(Infinity);
  });
});

describe(digestOf.name, () => {
  it('differs for different credentials', () => {
    expect(digestOf(byKey)).toBe(digestOf({ ...byKey }));
    expect(digestOf(byKey)).not.toBe(digestOf({ ...byKey, key: otherCurve }));
  });
});
