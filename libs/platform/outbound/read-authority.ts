import { X509Certificate } from 'node:crypto';
import { readCredentialFile, refuseFaulty } from './credential-file.js';

/**
 * Reads the certificate authority of a provider in PEM; undefined without a path. `what` is the variable that names the
 * file. Throws CredentialFault: OpenSSL would ignore a faulty file, and refuse every connection.
 */
export async function readAuthority(
  what: string,
  path: string | undefined,
): Promise<string | undefined> {
  if (path === undefined) return undefined;
  const authority = await readCredentialFile(what, path);
  refuseFaulty(what, path, faultOfCertificate(authority));
  return authority;
}

/** The fault of a certificate in PEM; null for a valid one. */
export function faultOfCertificate(text: string): string | null {
  try {
    // The constructor checks.
    void new X509Certificate(text);
    return null;
  } catch {
    return 'expected a certificate in PEM';
  }
}
