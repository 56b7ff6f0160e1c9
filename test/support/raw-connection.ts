import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A connection on which a test writes arbitrary bytes, and which collects the received bytes. */
export class RawConnection {
  #received = '';
  readonly #closed: Promise<void>;
  #isClosed = false;

  private constructor(readonly socket: Socket) {
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      this.#received += text;
    });
    socket.on('error', () => undefined);
    this.#closed = new Promise((resolve) => {
      socket.once('close', () => {
        this.#isClosed = true;
        resolve();
      });
    });
  }

  static async open(port: number, localAddress?: string): Promise<RawConnection> {
    const socket = connect({ port, host: '127.0.0.1', ...(localAddress && { localAddress }) });
    const connection = new RawConnection(socket);
    await once(socket, 'connect');
    return connection;
  }

  get received(): string {
    return this.#received;
  }

  write(text: string): this {
    this.socket.write(text);
    return this;
  }

  /** Writes the head of a request and the given part of its body in one chunk. */
  request(line: string, headers: Readonly<Record<string, string | number>> = {}, body = ''): this {
    const lines = Object.entries({ Host: 'edge.test', ...headers });
    return this.write(
      `${line} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
    );
  }

  /** Resolves with the first line of a response. */
  async status(): Promise<number> {
    while (!this.#received.includes('\r\n\r\n')) {
      if (this.#isClosed) throw new Error('Closed without a response');
      await Promise.race([
        new Promise((resolve) => this.socket.once('data', resolve)),
        this.#closed,
      ]);
    }
    return Number(this.#received.split(' ')[1]);
  }

  closed(): Promise<void> {
    return this.#closed;
  }

  end(): void {
    this.socket.destroy();
  }
}
