import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { HOST, readRequest, type Transport } from './transport.js';

const HEAD_BYTES = 8;

/** Frames of length u32, call u32 and text, each sent with a write of its own. */
export const framedTransport: Transport = {
  title: 'frames, a write each',

  async serve(answer) {
    const server = createServer({ noDelay: true }, (socket) => {
      onFrames(socket, (call, text) => {
        void answer(readRequest(text)).then((answered) => send(socket, call, answered));
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
    const waiting = new Map<number, (text: string) => void>();
    let lastCall = 0;
    onFrames(socket, (call, text) => {
      waiting.get(call)?.(text);
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

function send(socket: Socket, call: number, text: string): void {
  const length = Buffer.byteLength(text);
  const frame = Buffer.allocUnsafe(HEAD_BYTES + length);
  frame.writeUInt32BE(length, 0);
  frame.writeUInt32BE(call, 4);
  frame.write(text, HEAD_BYTES);
  socket.write(frame);
}

function onFrames(socket: Socket, take: (call: number, text: string) => void): void {
  let rest: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= HEAD_BYTES) {
      const end = HEAD_BYTES + rest.readUInt32BE(0);
      if (rest.length < end) return;
      take(rest.readUInt32BE(4), rest.toString('utf8', HEAD_BYTES, end));
      rest = rest.subarray(end);
    }
  });
}
