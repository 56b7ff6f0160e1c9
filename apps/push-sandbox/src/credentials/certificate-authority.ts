import 'reflect-metadata';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { createPrivateKey, KeyObject, randomBytes, webcrypto, X509Certificate } from 'node:crypto';

const ecdsa = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const millisecondsPerDay = 86_400_000;
const validForDays = 825;
const renewedBeforeEndDays = 30;

/** The names that client libraries may ask for: the sandbox's own address and the real hosts. */
const serverNames = [
  'localhost',
  'api.push.apple.com',
  'api.sandbox.push.apple.com',
  'fcm.googleapis.com',
  'oauth2.googleapis.com',
];

/** What a TLS server needs, and what its clients need to trust it; all in PEM. */
export interface ServerIdentity {
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

/**
 * Makes a certificate authority and a server certificate signed by it.
 *
 * The authority's own key is dropped here: whoever trusts this authority trusts these two
 * certificates and nothing that could be signed later.
 */
export async function makeServerIdentity(now: Date): Promise<ServerIdentity> {
  const authorityKeys = await makeKeyPair();
  const serverKeys = await makeKeyPair();
  const validity = {
    // A day of grace for clocks that disagree.
    notBefore: new Date(now.getTime() - millisecondsPerDay),
    notAfter: new Date(now.getTime() + validForDays * millisecondsPerDay),
  };
  const authority = await X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: 'CN=Push sandbox certificate authority',
    ...validity,
    signingAlgorithm: ecdsa,
    keys: authorityKeys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(authorityKeys.publicKey),
    ],
  });
  const certificate = await X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: 'CN=Push sandbox',
    issuer: authority.subject,
    ...validity,
    signingAlgorithm: ecdsa,
    publicKey: serverKeys.publicKey,
    signingKey: authorityKeys.privateKey,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension([
        ...serverNames.map((value) => ({ type: 'dns' as const, value })),
        { type: 'ip', value: '127.0.0.1' },
        { type: 'ip', value: '::1' },
      ]),
      await SubjectKeyIdentifierExtension.create(serverKeys.publicKey),
      await AuthorityKeyIdentifierExtension.create(authorityKeys.publicKey),
    ],
  });
  return {
    authority: `${authority.toString('pem')}\n`,
    certificate: `${certificate.toString('pem')}\n`,
    key: KeyObject.from(serverKeys.privateKey).export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** Whether the three parts belong together and stay valid for some weeks. */
export function isServerIdentityUsable(identity: ServerIdentity, now: Date): boolean {
  try {
    const authority = new X509Certificate(identity.authority);
    const certificate = new X509Certificate(identity.certificate);
    const renewAt =
      new Date(certificate.validTo).getTime() - renewedBeforeEndDays * millisecondsPerDay;
    return (
      certificate.verify(authority.publicKey) &&
      certificate.checkPrivateKey(createPrivateKey(identity.key)) &&
      certificate.checkHost('localhost') !== undefined &&
      now.getTime() < renewAt
    );
  } catch {
    return false;
  }
}

async function makeKeyPair() {
  return webcrypto.subtle.generateKey(ecdsa, true, ['sign', 'verify']);
}

/** Random, and positive whatever its first byte. */
function serialNumber(): string {
  return `01${randomBytes(15).toString('hex')}`;
}
