import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A server behind a wire that a test can listen in on, cut and mend. */
export interface SeverableWire {
  /** The server's address through the wire. */
  readonly url: string;
  /** How often something was asked and answered, and what was asked, since the last reset. */
  readonly roundTrips: number;
  readonly asked: string;
  reset(): void;
  /** Breaks all connections and refuses new ones, as a server does that was killed. */
  sever(): Promise<void>;
  /** Lets connections through again. */
  mend(): Promise<void>;
}

/** Lays a wire to the TCP server of `targetUrl`; the caller severs it in the end. */
export async function layWire(targetUrl: string): Promise<SeverableWire> {
  const target = new URL(targetUrl);
  const sockets = new Set<Socket>();
  let roundTrips = 0;
  let asked = '';
  let isAsking = false;

  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    near.on('data', (chunk) => {
      if (!isAsking) roundTrips += 1;
      isAsking = true;
      asked += chunk.toString();
    });
    far.on('data', () => {
      isAsking = false;
    });
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // It listens on TCP.
  const url = new URL(targetUrl);
  url.host = `127.0.0.1:${port}`;

  return {
    url: url.href,
    get roundTrips() {
      return roundTrips;
    },
    get asked() {
      return asked;
    },
    reset: () => {
      roundTrips = 0;
      asked = '';
    },
    sever: async () => {
      if (!server.listening) return;
      for (const socket of sockets) socket.destroy();
      await once(server.close(), 'close');
    },
    mend: async () => {
      await once(server.listen(port, '127.0.0.1'), 'listening');
    },
  };
}
