/** The part of this package that tests use; it has no types of its own. */
declare module 'http_ece' {
  import type { ECDH } from 'node:crypto';

  interface Options {
    readonly version: 'aes128gcm';
    readonly privateKey: ECDH;
    readonly authSecret: Uint8Array;
  }

  const ece: { decrypt(body: Buffer, options: Options): Buffer };
  export default ece;
}
