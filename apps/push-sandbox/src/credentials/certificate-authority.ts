import 'reflect-metadata';
import {
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  SubjectAlternativeNameExtension,
} from '@peculiar/x509';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import {
  CertificateIssuer,
  type CertificateWithKey,
  MILLISECONDS_PER_DAY,
  usualValidity,
} from './certificate-issuer.js';

const RENEWED_BEFORE_END_DAYS = 30;

/** The names that client libraries may ask for besides the sandbox's own: the real hosts. */
const serverNames = [
  'localhost',
  'api.push.apple.com',
  'api.sandbox.push.apple.com',
  'fcm.googleapis.com',
  'oauth2.googleapis.com',
  'updates.push.services.mozilla.com',
  'web.push.apple.com',
];

/** The certificate and key of a TLS server, and their authority, in PEM. */
export interface ServerIdentity extends CertificateWithKey {
  readonly authority: string;
}

/**
 * Creates a certificate authority and a server certificate signed by it, also for `host` if it is a name. The authority's key
 * is discarded: no other certificate can be signed later.
 */
export async function makeServerIdentity(now: Date, host = 'localhost'): Promise<ServerIdentity> {
  const names = isIP(host) === 0 ? new Set([...serverNames, host]) : serverNames;
  const issuer = await CertificateIssuer.make('CN=Push sandbox certificate authority', now);
  const server = await issuer.issue('CN=Push sandbox', usualValidity(now), [
    new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
    new SubjectAlternativeNameExtension([
      ...[...names].map((value) => ({ type: 'dns' as const, value })),
      { type: 'ip', value: '127.0.0.1' },
      { type: 'ip', value: '::1' },
    ]),
  ]);
  return { authority: issuer.toPem().certificate, ...server };
}

/** Whether the three parts belong together, and the certificate is valid for the host and for some weeks. */
export function isServerIdentityUsable(
  identity: ServerIdentity,
  now: Date,
  host = 'localhost',
): boolean {
  if (!isIssuedAndLasting(identity, identity.authority, now)) return false;
  const certificate = new X509Certificate(identity.certificate);
  const subject = isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host);
  return subject !== undefined;
}

/** Whether the authority has signed a certificate, its key matches, and it stays valid for some weeks. */
export function isIssuedAndLasting(
  { certificate: text, key }: CertificateWithKey,
  authority: string,
  now: Date,
): boolean {
  try {
    const certificate = new X509Certificate(text);
    const endsAt = new Date(certificate.validTo).getTime();
    return (
      certificate.verify(new X509Certificate(authority).publicKey) &&
      certificate.checkPrivateKey(createPrivateKey(key)) &&
      now.getTime() < endsAt - RENEWED_BEFORE_END_DAYS * MILLISECONDS_PER_DAY
    );
  } catch {
    return false;
  }
}
