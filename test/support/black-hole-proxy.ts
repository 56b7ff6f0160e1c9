import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy that can lose connections without notice to either side. */
interface BlackHoleProxy {
  readonly port: number;
  /** Drops all later data of the open connections; new connections work. */
  dropPackets(): void;
  stop(): Promise<void>;
}

/** Starts a proxy to a port of the loopback address. */
export async function startBlackHoleProxy(targetPort: number): Promise<BlackHoleProxy> {
  const sockets = new Set<Socket>();
  const forward = (from: Socket, to: Socket) => {
    sockets.add(from);
    from.pipe(to);
    from.on('error', () => to.destroy());
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
  };
  const server = createServer((client) => {
    const upstream = connect(targetPort, '127.0.0.1');
    forward(client, upstream);
    forward(upstream, client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // A server on TCP has an address of this shape.
  return {
    port,
    dropPackets: () => {
      for (const socket of sockets) {
        socket.unpipe();
        // Data is still read, so that the sender sees no full buffer, as on a path that drops packets.
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
