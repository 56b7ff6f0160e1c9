import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';

const VERSION = 2;
const HELLO = 10;
const CHALLENGE = 11;
const PROOF = 12;
const WELCOME = 13;
const HEAD_BYTES = 10;
const NONCE_BYTES = 32;

/** An encoded frame of call 0. */
export function presenceFrame(kind: number, body: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(HEAD_BYTES - 4 + body.length);
  head.writeUInt8(VERSION, 4);
  head.writeUInt8(kind, 5);
  return Buffer.concat([head, body]);
}

/** The proof of one side of a connection, as libs/presence/rpc defines it. */
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
 * Performs only the handshake of a presence process; resolves when the gateway has received the last frame of the
 * handshake.
 */
export async function greetGateway(socket: Socket, secret = Buffer.alloc(0)): Promise<void> {
  const hello = await nextFrame(socket, HELLO);
  const nonces = { gateway: hello, presence: randomBytes(NONCE_BYTES) };
  const proof = presenceProof('presence', secret, nonces);
  socket.write(presenceFrame(CHALLENGE, Buffer.concat([nonces.presence, proof])));
  await nextFrame(socket, PROOF);
  socket.write(presenceFrame(WELCOME));
}

/** The body of the next frame. Each frame arrives in one chunk, because the other side waits for the answer. */
async function nextFrame(socket: Socket, kind: number): Promise<Buffer> {
  const bytes = await new Promise<Buffer>((resolve) => {
    socket.once('data', (chunk: Buffer) => resolve(chunk));
  });
  if (bytes[5] !== kind) throw new Error(`A frame of kind ${bytes[5]} arrived instead of ${kind}.`);
  return bytes.subarray(HEAD_BYTES);
}
