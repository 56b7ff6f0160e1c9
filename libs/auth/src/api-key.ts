import { createCipheriv, createDecipheriv, hash, randomBytes, randomInt } from 'node:crypto';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const KEY_LENGTH = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** The form of every API key. */
export const API_KEY_PATTERN = /^[A-Za-z0-9]{32}$/;

/** A new API key: 32 letters and digits from the system's secure source, some 190 bits. */
export const generateApiKey = (): string =>
  Array.from({ length: KEY_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');

/**
 * What a key is stored and looked up by. A plain digest suffices, unlike for passwords: there is
 * nothing to guess in a random key.
 */
export const hashApiKey = (apiKey: string): Buffer => Buffer.from(digestOfApiKey(apiKey), 'hex');

/** The same in hexadecimal, which is quicker to make and to compare in memory. */
export const digestOfApiKey = (apiKey: string): string => hash('sha256', apiKey);

/** Encrypts a key under the server's secret (AES-256-GCM), to be given again to who knows the password. */
export function sealApiKey(apiKey: string, secret: Buffer): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', secret, iv);
  const sealed = Buffer.concat([cipher.update(apiKey, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
}

/** The key that was sealed; throws when the secret is another one or the bytes were changed. */
export function openSealedApiKey(bytes: Uint8Array, secret: Buffer): string {
  const sealed = Buffer.from(bytes);
  const iv = sealed.subarray(0, IV_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', secret, iv, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  const text = Buffer.concat([
    decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES)),
    decipher.final(),
  ]);
  return text.toString('utf8');
}
