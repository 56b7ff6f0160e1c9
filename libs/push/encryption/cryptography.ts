import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { PhonePlatform } from '#push/jobs';
import sodium from 'libsodium-wrappers';
import { installationOf } from './fcm-target.rules.js';

// It compiles WebAssembly, once for each process.
await sodium.ready;

/** Says that a push key is for `crypto_secretbox_easy`. */
const SECRETBOX = 0x31;
/** That byte, and a key of 32 bytes. */
const PUSH_KEY_BYTES = 1 + sodium.crypto_secretbox_KEYBYTES;
const NONCE_BYTES = sodium.crypto_secretbox_NONCEBYTES;
/** The length of the id of a provider token. */
export const TOKEN_ID_BYTES = 8;

/** A key pair of a push service: phones seal their registrations to the public key. */
export interface ServiceKeyPair {
  readonly publicKey: Buffer;
  readonly privateKey: Buffer;
}

/** Makes a key pair for X25519. With a seed of 32 bytes it is always the same, which only tests want. */
export function makeServiceKeyPair(seed: Uint8Array = randomBytes(32)): ServiceKeyPair {
  const { publicKey, privateKey } = sodium.crypto_box_seed_keypair(seed);
  return { publicKey: Buffer.from(publicKey), privateKey: Buffer.from(privateKey) };
}

/** The public key of a private key: shows whether the two of a pair belong together. */
export const isPair = ({ publicKey, privateKey }: ServiceKeyPair): boolean =>
  timingSafeEqual(sodium.crypto_scalarmult_base(privateKey), publicKey);

/** Seals bytes to a public key, as a phone does. The result does not reveal the sender. */
export const sealTo = (publicKey: Uint8Array, bytes: Uint8Array): Buffer =>
  Buffer.from(sodium.crypto_box_seal(bytes, publicKey));

/** Opens what was sealed to the public key of the pair; null for anything else. */
export function openSealed(
  { publicKey, privateKey }: ServiceKeyPair,
  sealed: Uint8Array,
): Buffer | null {
  try {
    return Buffer.from(sodium.crypto_box_seal_open(sealed, publicKey, privateKey));
  } catch {
    return null;
  }
}

/** A new push key, as a phone makes it. */
export const makePushKey = (): Buffer =>
  Buffer.concat([Buffer.of(SECRETBOX), randomBytes(sodium.crypto_secretbox_KEYBYTES)]);

/** Whether bytes are a push key that `encryptPayload` takes. */
export const isPushKey = (bytes: Uint8Array): boolean =>
  bytes.length === PUSH_KEY_BYTES && bytes[0] === SECRETBOX;

/**
 * Encrypts a payload for the phone with this push key: nonce, MAC and ciphertext in base64. Each call takes another
 * nonce; only tests give one. Throws for bytes that are not a push key.
 */
export function encryptPayload(
  pushKey: Uint8Array,
  payload: string,
  nonce: Uint8Array = randomBytes(NONCE_BYTES),
): string {
  const sealed = sodium.crypto_secretbox_easy(payload, nonce, secretOf(pushKey));
  return Buffer.concat([nonce, sealed]).toString('base64');
}

/** Decrypts a payload as a phone does; null if it was encrypted with another key, or changed. */
export function decryptPayload(pushKey: Uint8Array, encrypted: string): string | null {
  const bytes = Buffer.from(encrypted, 'base64');
  try {
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const plain = sodium.crypto_secretbox_open_easy(
      bytes.subarray(NONCE_BYTES),
      nonce,
      secretOf(pushKey),
    );
    return Buffer.from(plain).toString('utf8');
  } catch {
    return null;
  }
}

/** The id of a provider token: the server knows the id, and only the push service the token. */
export const tokenIdOf = (token: string): Buffer =>
  hash('sha256', token, 'buffer').subarray(0, TOKEN_ID_BYTES);

/**
 * The ids of a token in the spellings in which apps and servers may have registered it: tokens of Apple are hexadecimal, in
 * either case. For a registration token of Google, also that of its installation, by which the phone may have registered.
 */
export const tokenIdsOf = (platform: PhonePlatform, token: string): Buffer[] =>
  (platform === 'apns'
    ? [token, token.toLowerCase(), token.toUpperCase()]
    : [token, installationOf(token) ?? token]
  ).map(tokenIdOf);

function secretOf(pushKey: Uint8Array): Uint8Array {
  if (!isPushKey(pushKey)) throw new TypeError('Not a push key');
  return pushKey.subarray(1);
}
