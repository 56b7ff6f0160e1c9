import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy that records requests, and that a test can close and reopen. */
export interface TcpProxy {
  /** The URL of the target, with the address of the proxy. */
  readonly url: string;
  /** The number of requests with a response since the last reset. */
  readonly roundTrips: number;
  /** The bytes of the client since the last reset, as text. */
  readonly requests: string;
  reset(): void;
  /** Closes all connections and refuses new ones, as after a crash of the server. */
  close(): Promise<void>;
  /** Accepts connections again. */
  reopen(): Promise<void>;
  /** Delivers nothing more, but keeps the connections open, as a broken network does. */
  stall(): void;
  /** Delivers again, with what has arrived in the meantime. */
  resume(): void;
}

/** Starts a proxy to the TCP server of `targetUrl`. The caller must `close` it. */
export async function startTcpProxy(targetUrl: string): Promise<TcpProxy> {
  const target = new URL(targetUrl);
  const sockets = new Set<Socket>();
  let roundTrips = 0;
  let requests = '';
  let isRequesting = false;
  let isStalled = false;

  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    client.on('data', (chunk) => {
      if (!isRequesting) roundTrips += 1;
      isRequesting = true;
      requests += chunk.toString();
    });
    upstream.on('data', () => {
      isRequesting = false;
    });
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      if (isStalled) socket.cork();
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
  const { port } = server.address() as AddressInfo; // A server on TCP has an address of this shape.
  const url = new URL(targetUrl);
  url.host = `127.0.0.1:${port}`;

  return {
    url: url.href,
    get roundTrips() {
      return roundTrips;
    },
    get requests() {
      return requests;
    },
    reset: () => {
      roundTrips = 0;
      requests = '';
    },
    close: async () => {
      if (!server.listening) return;
      for (const socket of sockets) socket.destroy();
      await once(server.close(), 'close');
    },
    stall: () => {
      isStalled = true;
      for (const socket of sockets) socket.cork();
    },
    resume: () => {
      isStalled = false;
      for (const socket of sockets) socket.uncork();
    },
    reopen: async () => {
      await once(server.listen(port, '127.0.0.1'), 'listening');
    },
  };
}
