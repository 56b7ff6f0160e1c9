/** The part of this package that tests and the bench use; it has no types of its own. */
declare module 'http_ece' {
  import type { ECDH } from 'node:crypto';

  interface Options {
    readonly version: 'aes128gcm';
    readonly privateKey: ECDH;
    readonly authSecret: Uint8Array;
  }

  /** The key of the recipient and its secret in base64url. */
  interface SendingOptions {
    readonly version: 'aes128gcm';
    readonly privateKey: ECDH;
    readonly dh: string;
    readonly authSecret: string;
  }

  const ece: {
    decrypt(body: Buffer, options: Options): Buffer;
    encrypt(text: Buffer, options: SendingOptions): Buffer;
  };
  export default ece;
}
