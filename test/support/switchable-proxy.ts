import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy that a test can stall, disconnect and switch to another server. */
export interface SwitchableProxy {
  readonly url: string;
  /** Buffers all data in both directions. */
  stall(): void;
  /** Forwards the buffered data. */
  resume(): void;
  /** Closes all connections; new ones are accepted. */
  disconnect(): void;
  /** Closes all connections; new ones lead to another server. */
  switchTo(targetUrl: string): void;
  stop(): Promise<void>;
}

/** Starts a proxy to the server of a URL. The URL of the proxy keeps the credentials of the first target. */
export async function startSwitchableProxy(targetUrl: string): Promise<SwitchableProxy> {
  const pipes = new Set<{ readonly from: Socket; readonly to: Socket }>();
  let target = new URL(targetUrl);
  let isStalled = false;

  const forward = (from: Socket, to: Socket) => {
    const pipe = { from, to };
    pipes.add(pipe);
    from.on('error', () => to.destroy());
    from.on('close', () => {
      pipes.delete(pipe);
      to.destroy();
    });
    if (isStalled) from.pause();
    else from.pipe(to);
  };
  const disconnect = () => {
    for (const { from } of pipes) from.destroy();
  };
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    forward(client, upstream);
    forward(upstream, client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // A server on TCP has an address of this shape.
  const url = new URL(targetUrl);
  url.host = `127.0.0.1:${port}`;

  return {
    url: url.href,
    stall: () => {
      isStalled = true;
      for (const { from, to } of pipes) from.unpipe(to).pause();
    },
    resume: () => {
      if (!isStalled) return;
      isStalled = false;
      for (const { from, to } of pipes) from.pipe(to);
    },
    disconnect,
    switchTo: (otherUrl) => {
      target = new URL(otherUrl);
      disconnect();
    },
    stop: async () => {
      const closed = once(server.close(), 'close');
      disconnect();
      await closed;
    },
  };
}
