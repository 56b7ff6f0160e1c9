import 'reflect-metadata';
import { generateKeyPairSync, KeyObject, webcrypto } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { X509CertificateGenerator } from '@peculiar/x509';
import type { ApnsApp, ApnsSignIn } from '../apns/apns-credential.js';
import {
  bundleIdOf,
  digestOf,
  expiredReplacement,
  expiriesOf,
  expiryOf,
  expiryWarnings,
  faultOfApnsKey,
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

describe(faultOfCertificateKey.name, () => {
  it('rejects what is no key, and what is no certificate', () => {
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

describe('A certificate', () => {
  const DAY_MS = 86_400_000;
  const ENDS_AT = Date.UTC(2027, 0, 20);
  let byCertificate: ApnsSignIn & { readonly kind: 'certificate' };

  beforeAll(async () => {
    byCertificate = await certificateUntil(ENDS_AT);
  });

  const appOf = (signIn: ApnsSignIn): ApnsApp => ({
    topics: null,
    environments: ['production'],
    signIn,
  });

  it('belongs to one private key', () => {
    const { certificate, key } = byCertificate;
    expect(faultOfCertificateKey(key, certificate)).toBeNull();
    expect(faultOfCertificateKey(appleKey, certificate)).toMatch(/does not belong/);
  });

  it('has the bundle id of its app, a name without secrets, and an expiry', () => {
    expect(bundleIdOf(byCertificate.certificate)).toBe('org.example.chat');
    expect(bundleIdOf('none')).toBeNull();
    const name = nameOf(byCertificate);
    expect(name).toMatch(/^org\.example\.chat\/[\da-f]{12}$/);
    expect(expiriesOf([byCertificate, byKey].map(appOf))).toEqual([{ name, expiresAt: ENDS_AT }]);
  });

  it.each([
    ['15 days before it ends', ENDS_AT - 15 * DAY_MS, null],
    ['13 days before it ends', ENDS_AT - 13 * DAY_MS, 'ends on 2027-01-20'],
    ['after it has ended', ENDS_AT + 1, 'ended on 2027-01-20'],
  ])('warns %s', (_, now, text) => {
    const warnings = text === null ? [] : [`the certificate ${nameOf(byCertificate)} ${text}`];
    expect(expiryWarnings([byCertificate, byKey].map(appOf), now)).toEqual(warnings);
  });

  it('does not replace another sign-in after it has ended', () => {
    const [next, current] = [[appOf(byCertificate)], [appOf(byKey)]];
    expect(expiredReplacement(next, current, ENDS_AT - 1)).toBeNull();
    expect(expiredReplacement(next, current, ENDS_AT + 1)).toMatch(/ended on 2027-01-20$/);
    expect(expiredReplacement(next, next, ENDS_AT + 1)).toBeNull();
  });
});

/** A self-signed certificate for an app, and its key. */
async function certificateUntil(endsAt: number) {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    // The first attribute is the UID.
    name: '0.9.2342.19200300.100.1.1=org.example.chat, CN=Chat',
    notBefore: new Date(0),
    notAfter: new Date(endsAt),
    signingAlgorithm: algorithm,
    keys,
  });
  return {
    kind: 'certificate',
    certificate: certificate.toString('pem'),
    key: KeyObject.from(keys.privateKey).export(pem).toString(),
  } as const;
}
