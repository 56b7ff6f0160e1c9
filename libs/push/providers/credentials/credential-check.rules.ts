import { createHash, createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { ApnsApp, ApnsSignIn } from '../apns/apns-credential.js';

/** The fault of an Apple signing key (`.p8`); null for a valid one. */
export function faultOfApnsKey(text: string): string | null {
  const key = privateKeyIn(text);
  if (key === null) return 'expected a private key in PEM, as Apple gives it out (.p8)';
  const isP256 = key.asymmetricKeyDetails?.namedCurve === 'prime256v1';
  return isP256 ? null : `expected a key on the curve P-256, found ${key.asymmetricKeyType}`;
}

/** The fault of a certificate's private key; null if it belongs to the certificate. */
export function faultOfCertificateKey(text: string, certificate: string): string | null {
  const key = privateKeyIn(text);
  if (key === null) return 'expected a private key in PEM, without a passphrase';
  const isOfCertificate = certificateIn(certificate)?.checkPrivateKey(key) ?? false;
  return isOfCertificate ? null : 'this private key does not belong to the certificate';
}

/** The bundle id of a certificate (its subject's `UID`); null without one. */
export function bundleIdOf(certificate: string): string | null {
  return /^UID=(.+)$/m.exec(certificateIn(certificate)?.subject ?? '')?.[1] ?? null;
}

/** The expiry of a sign-in in UNIX milliseconds; Infinity for a key. */
export function expiryOf(signIn: ApnsSignIn): number {
  if (signIn.kind === 'token') return Infinity;
  return Date.parse(certificateIn(signIn.certificate)?.validTo ?? '');
}

/** A name without secrets: the ids of team and key, or the bundle id and the certificate's fingerprint. */
export function nameOf(signIn: ApnsSignIn): string {
  if (signIn.kind === 'token') return `${signIn.teamId}/${signIn.keyId}`;
  const fingerprint = createHash('sha256').update(signIn.certificate).digest('hex').slice(0, 12);
  return `${bundleIdOf(signIn.certificate) ?? 'certificate'}/${fingerprint}`;
}

/** A digest of a credential: equal only for equal credentials. */
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

const WARN_BEFORE_EXPIRY_MS = 14 * 86_400_000;

/** A credential that expires, without its secrets. */
export interface CredentialExpiry {
  readonly name: string;
  /** In UNIX milliseconds. */
  readonly expiresAt: number;
}

/** The certificates of the apps and their expiry; keys do not expire. */
export function expiriesOf(apps: readonly ApnsApp[]): CredentialExpiry[] {
  const all = apps.map(({ signIn }) => [nameOf(signIn), expiryOf(signIn)] as const);
  return [...new Map(all)]
    .map(([name, expiresAt]) => ({ name, expiresAt }))
    .filter(({ expiresAt }) => Number.isFinite(expiresAt));
}

/** A warning for each certificate that has expired or will within two weeks; `now` in UNIX milliseconds. */
export function expiryWarnings(apps: readonly ApnsApp[], now: number): string[] {
  return expiriesOf(apps)
    .filter(({ expiresAt }) => expiresAt - now < WARN_BEFORE_EXPIRY_MS)
    .map(
      ({ name, expiresAt }) =>
        `the certificate ${name} ${expiresAt < now ? 'ended' : 'ends'} on ${dayOf(expiresAt)}`,
    );
}

/** Why new credentials must not replace the current ones: a new certificate has expired. Null if none has. */
export function expiredReplacement(
  next: readonly ApnsApp[],
  current: readonly ApnsApp[],
  now: number,
): string | null {
  const known = new Set(current.map(({ signIn }) => digestOf(signIn)));
  const added = next.filter(({ signIn }) => !known.has(digestOf(signIn)));
  const expired = added.find(({ signIn }) => expiryOf(signIn) < now);
  if (expired === undefined) return null;
  return `the certificate ${nameOf(expired.signIn)} ended on ${dayOf(expiryOf(expired.signIn))}`;
}

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
