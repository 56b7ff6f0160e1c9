import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { PresenceAnswer } from '#platform/contracts';
import { HOST, readRequest, type Transport } from './transport.js';

const HEAD_BYTES = 9;
const [TEXT, GZIP] = [0, 1];

/** Frames of length u32, call u32, kind u8 and body; each frame is one write. */
export const framedTransport: Transport = {
  title: 'frames, a write each',

  async serve(answer) {
    const server = createServer({ noDelay: true }, (socket) => {
      onFrames(socket, (call, asked) => {
        void answer(readRequest(String(asked))).then((answered) => send(socket, call, answered));
      });
    });
    server.listen(0, HOST);
    await once(server, 'listening');
    // A listening TCP server has an address of this form.
    return (server.address() as AddressInfo).port;
  },

  async connect(port) {
    const socket = connect({ host: HOST, port, noDelay: true });
    await once(socket, 'connect');
    const waiting = new Map<number, (answer: PresenceAnswer) => void>();
    let lastCall = 0;
    onFrames(socket, (call, answer) => {
      waiting.get(call)?.(answer);
      waiting.delete(call);
    });
    return {
      ask: (request) =>
        new Promise((resolve) => {
          lastCall += 1;
          waiting.set(lastCall, resolve);
          send(socket, lastCall, JSON.stringify(request));
        }),
      close: () => socket.destroy(),
    };
  },
};

function send(socket: Socket, call: number, answer: PresenceAnswer): void {
  const [kind, body] =
    typeof answer === 'string' ? [TEXT, Buffer.from(answer)] : [GZIP, answer.body];
  const frame = Buffer.allocUnsafe(HEAD_BYTES + body.length);
  frame.writeUInt32BE(body.length, 0);
  frame.writeUInt32BE(call, 4);
  frame.writeUInt8(kind, 8);
  frame.set(body, HEAD_BYTES);
  socket.write(frame);
}

function onFrames(socket: Socket, take: (call: number, answer: PresenceAnswer) => void): void {
  let rest: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= HEAD_BYTES) {
      const end = HEAD_BYTES + rest.readUInt32BE(0);
      if (rest.length < end) return;
      const body = rest.subarray(HEAD_BYTES, end);
      const isText = rest.readUInt8(8) === TEXT;
      take(rest.readUInt32BE(4), isText ? body.toString() : { encoding: 'gzip', body });
      rest = rest.subarray(end);
    }
  });
}
