import { faultOfCertificate } from './credential-check.rules.js';
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
