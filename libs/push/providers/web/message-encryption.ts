import {
  createCipheriv,
  createECDH,
  createHmac,
  type ECDH,
  ECDH as Curve,
  randomBytes,
} from 'node:crypto';
import { errorCode } from '#platform/core';

/** The most bytes of a text. Its body has 2,744 then, the most that Firefox on phones takes. */
export const MAX_TEXT_BYTES = 2641;

const CURVE = 'prime256v1';
const POINT_BYTES = 65;
/** The first byte of a point with both coordinates. */
const UNCOMPRESSED = 4;
const AUTH_BYTES = 16;
const SALT_BYTES = 16;
/** All fits into one record: services refuse several (RFC 8291, 4). */
const RECORD_BYTES = 4096;
/** The number of the first block of HKDF. */
const ONE = Buffer.of(1);
/** The last record ends with this byte and the padding. */
const LAST_RECORD = Buffer.of(2);
const PADDING_STEP = 256;

/** The keys of a subscription, which the client has made. */
export interface SubscriptionKeys {
  /** A point of P-256, uncompressed: 65 bytes. */
  readonly p256dh: Uint8Array;
  /** 16 bytes. */
  readonly auth: Uint8Array;
}

/** What is random in a message; only tests give it. */
interface Randomness {
  readonly ephemeral: ECDH;
  readonly salt: Buffer;
}

function newRandomness(): Randomness {
  const ephemeral = createECDH(CURVE);
  ephemeral.generateKeys();
  return { ephemeral, salt: randomBytes(SALT_BYTES) };
}

/** Whether a message can be encrypted for these keys: the point is on the curve, and the lengths are right. */
export function areSubscriptionKeys({ p256dh, auth }: SubscriptionKeys): boolean {
  return haveLengths({ p256dh, auth }) && isPoint(p256dh);
}

const haveLengths = ({ p256dh, auth }: SubscriptionKeys): boolean =>
  auth.length === AUTH_BYTES && p256dh.length === POINT_BYTES && p256dh[0] === UNCOMPRESSED;

/** Whether bytes are an uncompressed point of P-256. */
export function isPoint(bytes: Uint8Array): boolean {
  if (bytes.length !== POINT_BYTES || bytes[0] !== UNCOMPRESSED) return false;
  try {
    Curve.convertKey(bytes, CURVE);
    return true;
  } catch {
    return false;
  }
}

/** The text, the end of the record, and zeros: the length of a body tells little about its text. */
export function padded(text: Buffer): Buffer {
  const steps = Math.max(1, Math.ceil(text.length / PADDING_STEP));
  const length = Math.min(steps * PADDING_STEP, MAX_TEXT_BYTES);
  return Buffer.concat([text, LAST_RECORD, Buffer.alloc(length - text.length)]);
}

/**
 * Encrypts a text for a subscription: a body with `Content-Encoding: aes128gcm` and one record (RFC 8188, RFC 8291). Null for keys
 * that `areSubscriptionKeys` refuses. Throws for more than `MAX_TEXT_BYTES`.
 */
export function encryptMessage(keys: SubscriptionKeys, text: string): Buffer | null {
  const bytes = Buffer.from(text);
  if (bytes.length > MAX_TEXT_BYTES) throw new RangeError('The text is too long for a web push');
  if (!haveLengths(keys)) return null;
  try {
    return encryptRecord(keys, padded(bytes), newRandomness());
  } catch (error) {
    // The agreement on a secret finds it out; a check of the point before that would take 4 % of the time of a push.
    if (errorCode(error) === 'ERR_CRYPTO_ECDH_INVALID_PUBLIC_KEY') return null;
    throw error;
  }
}

/** The body with this padded text. */
export function encryptRecord(
  { p256dh, auth }: SubscriptionKeys,
  record: Buffer,
  { ephemeral, salt }: Randomness,
): Buffer {
  const ownPoint = ephemeral.getPublicKey();
  const shared = ephemeral.computeSecret(p256dh);
  const secret = expanded(hmac(auth, shared), 'WebPush: info\0', p256dh, ownPoint);
  const extracted = hmac(salt, secret);
  const key = expanded(extracted, 'Content-Encoding: aes128gcm\0').subarray(0, 16);
  // There is one record, so its nonce is that of the sequence number 0.
  const nonce = expanded(extracted, 'Content-Encoding: nonce\0').subarray(0, 12);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  const sealed = Buffer.concat([cipher.update(record), cipher.final()]);
  const header = Buffer.alloc(5);
  header.writeUInt32BE(RECORD_BYTES);
  header.writeUInt8(ownPoint.length, 4);
  return Buffer.concat([salt, header, ownPoint, sealed, cipher.getAuthTag()]);
}

const hmac = (key: Uint8Array, ...parts: readonly (string | Uint8Array)[]): Buffer => {
  const made = createHmac('sha256', key);
  for (const part of parts) made.update(part);
  return made.digest();
};

/** The only block of HKDF that is needed (RFC 5869). Three calls of `hkdfSync` take twice as long, a twentieth of a push. */
const expanded = (extracted: Buffer, ...info: readonly (string | Uint8Array)[]): Buffer =>
  hmac(extracted, ...info, ONE);
