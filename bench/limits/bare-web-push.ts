import { generateKeyPairSync, randomBytes, sign, createECDH } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type ClientHttp2Session, connect } from 'node:http2';
import ece from 'http_ece';
import type { SampleRequest } from '../load/sandbox-inbox.js';
import { type BareSender, postBare } from './bare-post.js';

/** How to reach the push service of the sandbox's browsers. */
export interface WebPushAccess {
  /** The name in its certificate and in endpoints. */
  readonly host: string;
  readonly port: number;
  readonly caFile: string;
}

/** What a sender needs of a subscription; the keys are in base64url. */
export interface BareSubscription {
  readonly path: string;
  readonly p256dh: string;
  readonly auth: string;
}

const HOUR_SECONDS = 3600;
const TOPIC_BYTES = 24;
/** What a body has beside its text: salt, record size, key with its length, the end of the record, tag. */
const OVERHEAD_BYTES = 16 + 4 + 66 + 1 + 16;

/** A subscription as a token. */
export const webToken = ({ path, p256dh, auth }: BareSubscription): string =>
  [path, p256dh, auth].join(' ');

/**
 * One connection of node:http2 to a push service, and an encryption for each subscription (RFC 8291), with a new key as it
 * requires. The sign-in and the headers are created once.
 */
export class BareWebPush implements BareSender {
  readonly #headers: Readonly<Record<string, string>>;
  readonly #text: Buffer;

  private constructor(
    private readonly session: ClientHttp2Session,
    { host, port }: WebPushAccess,
    { headers, payload }: SampleRequest,
  ) {
    const authorization = vapidSignIn(`https://${host}:${port}`);
    this.#headers = { ':method': 'POST', ...headers, authorization };
    // The sandbox records the size of a body as its payload.
    const { bytes } = payload as { readonly bytes: number };
    this.#text = Buffer.alloc(bytes - OVERHEAD_BYTES, 'a');
  }

  static async open(access: WebPushAccess, sample: SampleRequest): Promise<BareWebPush> {
    const { host: servername, port, caFile } = access;
    const session = connect(`https://127.0.0.1:${port}`, { ca: readFileSync(caFile), servername });
    // Earlier requests would exceed the number of streams that the peer allows.
    await once(session, 'remoteSettings');
    return new BareWebPush(session, access, sample);
  }

  send(token: string): Promise<void> {
    const [path = '', p256dh = '', auth = ''] = token.split(' ');
    const own = { ':path': path, topic: randomBytes(TOPIC_BYTES).toString('base64url') };
    const privateKey = createECDH('prime256v1');
    privateKey.generateKeys();
    const keys = { version: 'aes128gcm', dh: p256dh, authSecret: auth, privateKey } as const;
    return postBare(this.session, { ...this.#headers, ...own }, ece.encrypt(this.#text, keys), 201);
  }
}

/** A sign-in (RFC 8292) with a new key, which is valid for an hour, longer than any run. */
function vapidSignIn(origin: string): string {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const point = Buffer.concat([
    Buffer.of(4),
    Buffer.from(x, 'base64url'),
    Buffer.from(y, 'base64url'),
  ]);
  const exp = Math.floor(Date.now() / 1000) + HOUR_SECONDS;
  const parts = [
    { typ: 'JWT', alg: 'ES256' },
    { aud: origin, exp, sub: 'mailto:operator@example.org' },
  ].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
  const signature = sign('sha256', Buffer.from(parts.join('.')), {
    key: privateKey,
    dsaEncoding: 'ieee-p1363',
  });
  const token = [...parts, signature.toString('base64url')].join('.');
  return `vapid t=${token}, k=${point.toString('base64url')}`;
}
