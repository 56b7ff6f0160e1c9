import { createHash, createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { ApnsSignIn } from './apns-app.js';

/** What is wrong with the text of an Apple signing key (`.p8`); null when it is one. */
export function faultOfApnsKey(text: string): string | null {
  const key = privateKeyIn(text);
  if (key === null) return 'expected a private key in PEM, as Apple gives it out (.p8)';
  const isP256 = key.asymmetricKeyDetails?.namedCurve === 'prime256v1';
  return isP256 ? null : `expected a key on the curve P-256, found ${key.asymmetricKeyType}`;
}

/** What is wrong with the text of an app's certificate; null when it is one. */
export function faultOfCertificate(text: string): string | null {
  return certificateIn(text) === null ? 'expected a certificate in PEM' : null;
}

/** What is wrong with the text of a certificate's private key; null when the two belong together. */
export function faultOfCertificateKey(text: string, certificate: string): string | null {
  const key = privateKeyIn(text);
  if (key === null) return 'expected a private key in PEM, without a passphrase';
  const isOfCertificate = certificateIn(certificate)?.checkPrivateKey(key) ?? false;
  return isOfCertificate ? null : 'this private key does not belong to the certificate';
}

/** The bundle id that a certificate of Apple's is for, its subject's `UID`; null when it names none. */
export function bundleIdOf(certificate: string): string | null {
  return /^UID=(.+)$/m.exec(certificateIn(certificate)?.subject ?? '')?.[1] ?? null;
}

/** Until when a sign-in lasts, in UNIX milliseconds; a key lasts until Apple takes it back. */
export function endOf(signIn: ApnsSignIn): number {
  if (signIn.kind === 'token') return Infinity;
  return Date.parse(certificateIn(signIn.certificate)?.validTo ?? '');
}

/** What people know a sign-in by: the ids of team and key, or the bundle id and the certificate's fingerprint. */
export function nameOf(signIn: ApnsSignIn): string {
  if (signIn.kind === 'token') return `${signIn.teamId}/${signIn.keyId}`;
  const fingerprint = createHash('sha256').update(signIn.certificate).digest('hex').slice(0, 12);
  return `${bundleIdOf(signIn.certificate) ?? 'certificate'}/${fingerprint}`;
}

/** The same for two credentials that are the same to the last letter; tells nothing of them. */
export function digestOf(credential: unknown): string {
  return createHash('sha256').update(JSON.stringify(credential)).digest('hex');
}

function privateKeyIn(text: string): KeyObject | null {
  try {
    return createPrivateKey(text);
  } catch {
    return null;
  }
}

function certificateIn(text: string): X509Certificate | null {
  try {
    return new X509Certificate(text);
  } catch {
    return null;
  }
}
