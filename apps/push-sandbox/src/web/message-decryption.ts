import { createDecipheriv, createECDH, type ECDH, hkdfSync, randomBytes } from 'node:crypto';

const POINT_BYTES = 65;
const SALT_BYTES = 16;
const TAG_BYTES = 16;
/** Salt, record size, length of the key, key. */
const HEADER_BYTES = SALT_BYTES + 4 + 1 + POINT_BYTES;

/** The keys with which a browser reads its messages. */
export class BrowserKeys {
  readonly auth = randomBytes(16);
  readonly #pair: ECDH = createECDH('prime256v1');

  constructor() {
    this.#pair.generateKeys();
  }

  /** The public key: 65 bytes. */
  get point(): Buffer {
    return this.#pair.getPublicKey();
  }

  /** The text of a body with one record (RFC 8188, RFC 8291); null if it is not for these keys, or has more records. */
  open(body: Buffer): string | null {
    try {
      return this.#open(body);
    } catch {
      return null;
    }
  }

  #open(body: Buffer): string | null {
    const salt = body.subarray(0, SALT_BYTES);
    const recordSize = body.readUInt32BE(SALT_BYTES);
    const sealed = body.subarray(HEADER_BYTES);
    if (body[SALT_BYTES + 4] !== POINT_BYTES || sealed.length > recordSize) return null;
    const point = body.subarray(HEADER_BYTES - POINT_BYTES, HEADER_BYTES);
    const secret = derive(
      this.#pair.computeSecret(point),
      this.auth,
      Buffer.concat([Buffer.from('WebPush: info\0'), this.point, point]),
      32,
    );
    const key = derive(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
    const nonce = derive(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
    const cipher = createDecipheriv('aes-128-gcm', key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    const record = Buffer.concat([cipher.update(sealed.subarray(0, -TAG_BYTES)), cipher.final()]);
    const end = record.findLastIndex((byte) => byte !== 0);
    return record[end] === 2 ? record.subarray(0, end).toString() : null;
  }
}

const derive = (secret: Buffer, salt: Buffer, info: Buffer, length: number): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, length));
