import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to a server that can break without either side hearing of it. */
export interface SwallowingWire {
  readonly port: number;
  /** The connections that are open now carry nothing any more; new ones work. */
  swallow(): void;
  stop(): Promise<void>;
}

/** Lays a wire to a port of the loopback address. */
export async function laySwallowingWire(targetPort: number): Promise<SwallowingWire> {
  const sockets = new Set<Socket>();
  const carry = (from: Socket, to: Socket) => {
    sockets.add(from);
    from.pipe(to);
    from.on('error', () => to.destroy());
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
  };
  const server = createServer((near) => {
    const far = connect(targetPort, '127.0.0.1');
    carry(near, far);
    carry(far, near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // It listens on TCP.
  return {
    port,
    swallow: () => {
      for (const socket of sockets) {
        socket.unpipe();
        // Still read, as a path does that drops packets: the sender's buffers do not tell it anything.
        socket.resume();
      }
    },
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
