import 'reflect-metadata';
import { ExtendedKeyUsage, ExtendedKeyUsageExtension } from '@peculiar/x509';
import { join } from 'node:path';
import { isIssuedAndLasting } from './certificate-authority.js';
import { CertificateIssuer, type CertificateWithKey, usualValidity } from './certificate-issuer.js';
import { readIfPresent, writePrivateFile } from './credential-files.js';

/** The bundle id, and so the topic, of the app that the sandbox plays. */
export const DEMO_APP_ID = 'org.carillon.demo';

/** The attribute with an app's topic, `UID`. */
const USER_ID_ATTRIBUTE = '0.9.2342.19200300.100.1.1';

/**
 * Creates the missing files for apps that sign in with a certificate, and resolves with the authority (PEM) of the
 * accepted certificates.
 *
 * Afterwards the folder holds `apns-certificate.pem` and `apns-certificate-key.pem`, for the topic
 * `org.carillon.demo`, and the authority: `apns-certificate-ca.pem` and `apns-certificate-ca-key.pem`.
 * Unlike the server's, the key of this authority is stored, so that certificates for other apps can be issued. Only
 * the sandbox trusts it.
 */
export async function prepareApnsCertificates(folder: string): Promise<string> {
  const now = new Date();
  const authority = await prepare(folder, 'apns-certificate-ca', {
    isUsable: (kept) => isIssuedAndLasting(kept, kept.certificate, now),
    make: async () => {
      const made = await CertificateIssuer.make('CN=Push sandbox authority of apps', now);
      return made.toPem();
    },
  });
  await prepare(folder, 'apns-certificate', {
    isUsable: (kept) => isIssuedAndLasting(kept, authority.certificate, now),
    make: async () => makeApnsCertificate(await CertificateIssuer.from(authority), DEMO_APP_ID),
  });
  return authority.certificate;
}

/**
 * Issues a certificate for one app with the authority in a folder of `prepareSandboxCredentials`. `notAfter` may be in
 * the past.
 */
export async function issueApnsCertificate(
  folder: string,
  topic: string,
  notAfter?: Date,
): Promise<CertificateWithKey> {
  const { certificate, key } = await read(folder, 'apns-certificate-ca');
  return makeApnsCertificate(await CertificateIssuer.from({ certificate, key }), topic, notAfter);
}

function makeApnsCertificate(
  issuer: CertificateIssuer,
  topic: string,
  notAfter?: Date,
): Promise<CertificateWithKey> {
  const usual = usualValidity(new Date());
  const validity =
    notAfter === undefined
      ? usual
      : { notBefore: new Date(Math.min(+usual.notBefore, +notAfter - 1000)), notAfter };
  const subject = `${USER_ID_ATTRIBUTE}=${topic}, CN=Push sandbox app: ${topic}`;
  return issuer.issue(subject, validity, [
    new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth]),
  ]);
}

async function prepare(
  folder: string,
  name: string,
  given: {
    readonly isUsable: (kept: CertificateWithKey) => boolean;
    readonly make: () => Promise<CertificateWithKey>;
  },
): Promise<CertificateWithKey> {
  const kept = await read(folder, name);
  if (given.isUsable(kept)) return kept;
  const made = await given.make();
  await writePrivateFile(join(folder, `${name}-key.pem`), made.key);
  await writePrivateFile(join(folder, `${name}.pem`), made.certificate);
  return made;
}

/** Missing files are empty texts. */
async function read(folder: string, name: string): Promise<CertificateWithKey> {
  return {
    certificate: (await readIfPresent(join(folder, `${name}.pem`))) ?? '',
    key: (await readIfPresent(join(folder, `${name}-key.pem`))) ?? '',
  };
}
