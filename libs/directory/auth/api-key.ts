import { hash, randomInt, timingSafeEqual } from 'node:crypto';
import { openSealedText, sealText } from '#platform/core';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const KEY_LENGTH = 32;

/** The format of every API key. */
export const API_KEY_PATTERN = /^[A-Za-z0-9]{32}$/;

/** A new API key: 32 random letters and digits, about 190 bits. */
export const generateApiKey = (): string =>
  Array.from({ length: KEY_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');

/**
 * The hash by which a key is stored and found. Unlike for a password, a fast hash is enough, because a random key cannot
 * be guessed.
 */
export const hashApiKey = (apiKey: string): Buffer => Buffer.from(digestOfApiKey(apiKey), 'hex');

/** The same hash in hexadecimal, which is faster to create and to compare in memory. */
export const digestOfApiKey = (apiKey: string): string => hash('sha256', apiKey);

/** Encrypts a key with the server's secret (AES-256-GCM), so that a sign-in by password can return it. */
export const sealApiKey = (apiKey: string, secret: Buffer): Buffer => sealText(apiKey, secret);

/**
 * Decrypts a key. Throws for another secret, for changed bytes, and for a key that does not match the hash, for example
 * the key of another account.
 */
export function openSealedApiKey(
  {
    apiKeySealed,
    apiKeyHash,
  }: { readonly apiKeySealed: Uint8Array; readonly apiKeyHash: Uint8Array },
  secret: Buffer,
): string {
  const apiKey = openSealedText(apiKeySealed, secret);
  const expected = hashApiKey(apiKey);
  if (apiKeyHash.length !== expected.length || !timingSafeEqual(apiKeyHash, expected)) {
    throw new Error('The sealed API key does not match the hash of the account');
  }
  return apiKey;
}
