import { hash, randomInt, timingSafeEqual } from 'node:crypto';
import { openSealedText, sealText } from '#core';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const KEY_LENGTH = 32;

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
export const sealApiKey = (apiKey: string, secret: Buffer): Buffer => sealText(apiKey, secret);

/** A sealed key as it is stored beside the hash of the same key. */
export interface SealedApiKey {
  readonly apiKeySealed: Uint8Array;
  readonly apiKeyHash: Uint8Array;
}

/**
 * The key that was sealed. Throws when the secret is another one, when the bytes were changed, and when the key is not
 * that of the hash: the sealed key of another account does not open for this one.
 */
export function openSealedApiKey(
  { apiKeySealed, apiKeyHash }: SealedApiKey,
  secret: Buffer,
): string {
  const apiKey = openSealedText(apiKeySealed, secret);
  const expected = hashApiKey(apiKey);
  if (apiKeyHash.length !== expected.length || !timingSafeEqual(apiKeyHash, expected)) {
    throw new Error('The sealed API key is not that of the account');
  }
  return apiKey;
}
