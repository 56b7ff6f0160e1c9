import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Answer {
  readonly status: number;
  /** One character per byte (latin1). */
  readonly body: string;
  readonly isGzip: boolean;
}

/**
 * A keep-alive connection that carries one request at a time.
 *
 * It implements only the part of HTTP/1.1 that the measured servers use: responses with a Content-Length. A complete
 * client would take much of the CPU that the servers need.
 */
export class HttpConnection {
  #received = '';
  /** The end of the current response in `#received`; 0 until its head has arrived. */
  #end = 0;
  #settle: { resolve(answer: Answer): void; reject(error: Error): void } | undefined;

  private constructor(private readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => this.#take(chunk));
    socket.on('error', (error) => this.#settle?.reject(error));
    socket.on('close', () => this.#settle?.reject(new Error('The server closed the connection')));
  }

  static async open(port: number, host = '127.0.0.1'): Promise<HttpConnection> {
    const socket = connect({ port, host });
    await once(socket, 'connect');
    return new HttpConnection(socket);
  }

  /** Sends a complete request. */
  exchange(request: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.socket.destroyed) return reject(new Error('The server has closed the connection'));
      this.#settle = { resolve, reject };
      this.socket.write(request, 'latin1');
    });
  }

  close(): void {
    this.#settle = undefined;
    this.socket.destroy();
  }

  #take(chunk: string): void {
    this.#received += chunk;
    // Reading a string joins its chunks, so a large response is read only when it is complete.
    if (this.#received.length < this.#end) return;
    const headEnd = this.#received.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const head = this.#received.slice(0, headEnd);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length === undefined) {
      this.#settle?.reject(new Error(`A response without a content length: ${head}`));
      return;
    }
    this.#end = headEnd + 4 + Number(length);
    if (this.#received.length < this.#end) return;
    const body = this.#received.slice(headEnd + 4, this.#end);
    this.#received = this.#received.slice(this.#end);
    this.#end = 0;
    const isGzip = /\r\ncontent-encoding: *gzip/i.test(head);
    this.#settle?.resolve({ status: Number(head.slice(9, 12)), body, isGzip });
  }
}
