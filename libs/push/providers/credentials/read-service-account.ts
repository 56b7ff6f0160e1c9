import { createPrivateKey } from 'node:crypto';
import { z } from 'zod';
import { parseJsonOrUndefined } from '#platform/core';
import type { FcmSettings } from '../fcm/fcm-credential.js';
import { CredentialFault, readCredentialFile } from '#platform/outbound';

/** A service account and its project. */
export type FcmAccount = Pick<FcmSettings, 'projectId' | 'account'>;

const WHAT = 'FCM_SERVICE_ACCOUNT_FILE';

const text = z.string('expected a text').min(1, 'expected a text');

const schema = z.object({
  project_id: text,
  private_key_id: text,
  private_key: text.refine(isRsaKey, 'expected an RSA private key in PEM'),
  client_email: text,
  token_uri: z.url('expected an address'),
});

/** Reads a service account's JSON file. Throws CredentialFault with the names of the faulty fields. */
export async function readServiceAccount(path: string): Promise<FcmAccount> {
  const parsed = schema.safeParse(parseJsonOrUndefined(await readCredentialFile(WHAT, path)));
  if (!parsed.success) {
    const faults = parsed.error.issues.map(({ path: field, message }) =>
      field.length === 0
        ? "expected a service account's key as JSON, as Google's console gives it out"
        : `${field.join('.')}: ${message}`,
    );
    throw new CredentialFault(`${WHAT} (${path}): ${faults.join('; ')}`);
  }
  const file = parsed.data;
  return {
    projectId: file.project_id,
    account: {
      clientEmail: file.client_email,
      privateKey: file.private_key,
      privateKeyId: file.private_key_id,
      tokenUri: file.token_uri,
    },
  };
}

/** A name without secrets: the project and the beginning of the key's id. */
export const nameOfAccount = ({ projectId, account }: FcmAccount): string =>
  `${projectId}/${account.privateKeyId.slice(0, 12)}`;

function isRsaKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}
