import { createECDH, createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';

/** A key pair with which this server signs in at push services (RFC 8292). */
export interface VapidKey {
  readonly id: number;
  /** A point of P-256, uncompressed: 65 bytes in base64url, as browsers take it. */
  readonly publicKey: string;
  readonly privateKey: KeyObject;
}

const CURVE = 'prime256v1';

/** A new key pair: the point (65 bytes), and the private key in PKCS#8, PEM. */
export function makeVapidKeyPair(): { readonly publicKey: Buffer; readonly privateKey: string } {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    publicKey: pointOf(privateKey),
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** The private key of PEM; throws for any other text, and for one that does not belong to the point. */
export function privateKeyOf(pem: string, publicKey: Buffer): KeyObject {
  const privateKey = createPrivateKey(pem);
  if (!pointOf(privateKey).equals(publicKey)) throw new Error('Not the private key of the point');
  return privateKey;
}

function pointOf(privateKey: KeyObject): Buffer {
  const { d = '' } = privateKey.export({ format: 'jwk' });
  const pair = createECDH(CURVE);
  pair.setPrivateKey(Buffer.from(d, 'base64url'));
  return pair.getPublicKey();
}
