import { hash, randomInt } from 'node:crypto';
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

/** The key that was sealed; throws when the secret is another one or the bytes were changed. */
export const openSealedApiKey = (bytes: Uint8Array, secret: Buffer): string =>
  openSealedText(bytes, secret);
