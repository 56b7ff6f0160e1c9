import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';

const VERSION = 2;
const HELLO = 10;
const CHALLENGE = 11;
const PROOF = 12;
const WELCOME = 13;
const HEAD_BYTES = 10;
const NONCE_BYTES = 32;

/** A frame as it goes over the connection, of call 0. */
export function presenceFrame(kind: number, body: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(HEAD_BYTES - 4 + body.length);
  head.writeUInt8(VERSION, 4);
  head.writeUInt8(kind, 5);
  return Buffer.concat([head, body]);
}

/** What one side of a connection proves to know; the layout is written down in libs/presence/src/rpc. */
export function presenceProof(
  side: 'gateway' | 'presence',
  secret: Buffer,
  nonces: { readonly gateway: Buffer; readonly presence: Buffer },
): Buffer {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'presence connection', 32));
  const hmac = createHmac('sha256', key).update(`${side}\0`);
  return hmac.update(nonces.gateway).update(nonces.presence).digest();
}

/**
 * Does for a gateway that has connected what a presence process does first, and no more; resolves when the gateway has
 * been told that it may ask.
 */
export async function greetGateway(socket: Socket, secret = Buffer.alloc(0)): Promise<void> {
  const hello = await nextFrame(socket, HELLO);
  const nonces = { gateway: hello, presence: randomBytes(NONCE_BYTES) };
  const proof = presenceProof('presence', secret, nonces);
  socket.write(presenceFrame(CHALLENGE, Buffer.concat([nonces.presence, proof])));
  await nextFrame(socket, PROOF);
  socket.write(presenceFrame(WELCOME));
}

/** The body of the frame that comes next; each comes in one piece, since the other side waits for an answer. */
async function nextFrame(socket: Socket, kind: number): Promise<Buffer> {
  const bytes = await new Promise<Buffer>((resolve) => {
    socket.once('data', (chunk: Buffer) => resolve(chunk));
  });
  if (bytes[5] !== kind) throw new Error(`A frame of kind ${bytes[5]} came instead of ${kind}.`);
  return bytes.subarray(HEAD_BYTES);
}
