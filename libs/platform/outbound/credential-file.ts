import { readFile } from 'node:fs/promises';
import { errorCode } from '#platform/core';

/** A credential cannot be used. The message names the credential, its file and the fault, and holds no secret. */
export class CredentialFault extends Error {
  override readonly name = 'CredentialFault';
}

/** Reads a text file; throws CredentialFault. `what` is the setting that names the file, such as `APNS_KEY_FILE`. */
export async function readCredentialFile(what: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const code = String(errorCode(error) ?? 'unknown');
    const why = code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${code})`;
    throw new CredentialFault(`${what} (${path}): ${why}`);
  }
}

/** Throws CredentialFault if there is a fault. */
export function refuseFaulty(what: string, path: string, fault: string | null): void {
  if (fault !== null) throw new CredentialFault(`${what} (${path}): ${fault}`);
}
