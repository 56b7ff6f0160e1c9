import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to a server that a test can hold up, cut, and lay to another server. */
export interface MovableWire {
  readonly url: string;
  /** From now on nothing gets through, in either direction, and nothing is lost. */
  hold(): void;
  /** What was held up arrives. */
  release(): void;
  /** Breaks all connections; new ones lead to where the wire leads then. */
  cut(): void;
  /** Breaks all connections; new ones lead to the server of another address. */
  moveTo(targetUrl: string): void;
  stop(): Promise<void>;
}

interface Line {
  readonly from: Socket;
  readonly to: Socket;
}

/** Lays a wire to the TCP server of an address; the credentials in it stay those of the wire's own. */
export async function layMovableWire(targetUrl: string): Promise<MovableWire> {
  const lines = new Set<Line>();
  let target = new URL(targetUrl);
  let isHeld = false;

  const lay = (from: Socket, to: Socket) => {
    const line = { from, to };
    lines.add(line);
    from.on('error', () => to.destroy());
    from.on('close', () => {
      lines.delete(line);
      to.destroy();
    });
    if (isHeld) from.pause();
    else from.pipe(to);
  };
  const cut = () => {
    for (const { from } of lines) from.destroy();
  };
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    lay(near, far);
    lay(far, near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // It listens on TCP.
  const url = new URL(targetUrl);
  url.host = `127.0.0.1:${port}`;

  return {
    url: url.href,
    hold: () => {
      isHeld = true;
      for (const { from, to } of lines) from.unpipe(to).pause();
    },
    release: () => {
      if (!isHeld) return;
      isHeld = false;
      for (const { from, to } of lines) from.pipe(to);
    },
    cut,
    moveTo: (otherUrl) => {
      target = new URL(otherUrl);
      cut();
    },
    stop: async () => {
      const closed = once(server.close(), 'close');
      cut();
      await closed;
    },
  };
}
