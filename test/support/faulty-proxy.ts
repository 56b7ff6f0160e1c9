import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ServiceFault } from './fake-push-service.js';
import { sendRequest } from './http-request.js';

/**
 * Stands between a server and its push service, and makes requests fail. A fault with `done` passes the request on and
 * replaces only the response.
 */
export class FaultyProxy {
  /** The fault of a request, by its path; null passes it on. */
  fault: (path: string) => ServiceFault | null = () => null;
  #server: Server | undefined;
  #port = 0;

  private constructor(private readonly target: string) {}

  static async start(target: string): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(target);
    await proxy.listen();
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Accepts connections, after `stop` on the port of before. */
  async listen(): Promise<void> {
    this.#server = createServer((request, response) => {
      this.#handle(request, response).catch(() => response.destroy());
    });
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Refuses connections from now on. */
  async stop(): Promise<void> {
    this.#server?.close();
    this.#server?.closeAllConnections();
    if (this.#server?.listening === true) await once(this.#server, 'close');
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { url = '', method = 'GET' } = request;
    const fault = this.fault(url);
    if (fault === null || fault.done === true) {
      const { authorization = '', 'content-type': type = 'application/json' } = request.headers;
      const headers = { authorization, 'content-type': type };
      const reply = await sendRequest(`${this.target}${url}`, {
        method,
        headers,
        body: Buffer.concat(chunks),
      });
      if (fault === null) {
        response.writeHead(reply.status, { 'content-type': 'application/json' }).end(reply.text);
        return;
      }
    }
    if (fault.kind === 'answer') response.writeHead(fault.status, fault.headers).end(fault.body);
    else if (fault.kind === 'cut') response.destroy();
    // A request that hangs ends with its client.
  }
}
