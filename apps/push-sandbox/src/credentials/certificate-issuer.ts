import 'reflect-metadata';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { createPrivateKey, KeyObject, randomBytes, webcrypto } from 'node:crypto';

const ecdsa = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
export const MILLISECONDS_PER_DAY = 86_400_000;
const VALID_FOR_DAYS = 825;

/** A certificate and its key, in PEM. */
export interface CertificateWithKey {
  readonly certificate: string;
  readonly key: string;
}

interface Validity {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** As long as clients accept, with a day of tolerance for clock skew. */
export const usualValidity = (now: Date): Validity => ({
  notBefore: new Date(now.getTime() - MILLISECONDS_PER_DAY),
  notAfter: new Date(now.getTime() + VALID_FOR_DAYS * MILLISECONDS_PER_DAY),
});

/** Issues certificates of one authority. */
export class CertificateIssuer {
  private constructor(
    private readonly authority: X509Certificate,
    private readonly keys: webcrypto.CryptoKeyPair,
  ) {}

  /** Creates an authority with a new key. */
  static async make(name: string, now: Date): Promise<CertificateIssuer> {
    const keys = await makeKeyPair();
    const authority = await X509CertificateGenerator.createSelfSigned({
      serialNumber: serialNumber(),
      name,
      ...usualValidity(now),
      signingAlgorithm: ecdsa,
      keys,
      extensions: [
        new BasicConstraintsExtension(true, 0, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
        await SubjectKeyIdentifierExtension.create(keys.publicKey),
      ],
    });
    return new CertificateIssuer(authority, keys);
  }

  /** Loads an authority; throws for invalid PEM. */
  static async from({ certificate, key }: CertificateWithKey): Promise<CertificateIssuer> {
    const authority = new X509Certificate(certificate);
    const der = createPrivateKey(key).export({ type: 'pkcs8', format: 'der' });
    const privateKey = await webcrypto.subtle.importKey('pkcs8', der, ecdsa, true, ['sign']);
    const publicKey = await authority.publicKey.export(ecdsa, ['verify']);
    return new CertificateIssuer(authority, { privateKey, publicKey });
  }

  /** The certificate and the key of the authority. */
  toPem(): CertificateWithKey {
    return pemOf(this.authority, this.keys.privateKey);
  }

  /** Issues a certificate for a new key. The subject has the format of RFC 4514. */
  async issue(
    subject: string,
    validity: Validity,
    extensions: readonly Extension[],
  ): Promise<CertificateWithKey> {
    const keys = await makeKeyPair();
    const certificate = await X509CertificateGenerator.create({
      serialNumber: serialNumber(),
      subject,
      issuer: this.authority.subject,
      ...validity,
      signingAlgorithm: ecdsa,
      publicKey: keys.publicKey,
      signingKey: this.keys.privateKey,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        ...extensions,
        await SubjectKeyIdentifierExtension.create(keys.publicKey),
        await AuthorityKeyIdentifierExtension.create(this.keys.publicKey),
      ],
    });
    return pemOf(certificate, keys.privateKey);
  }
}

function pemOf(certificate: X509Certificate, privateKey: webcrypto.CryptoKey): CertificateWithKey {
  return {
    certificate: `${certificate.toString('pem')}\n`,
    key: KeyObject.from(privateKey).export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

async function makeKeyPair(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ecdsa, true, ['sign', 'verify']);
}

/** Random and positive. */
function serialNumber(): string {
  return `01${randomBytes(15).toString('hex')}`;
}
