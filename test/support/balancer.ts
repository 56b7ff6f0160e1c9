import { once } from 'node:events';
import {
  Agent,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { sendRequest } from './http-request.js';

const CHECK_EVERY_MS = 200;

/** A server behind the balancer, with its keep-alive connections. */
interface Backend {
  readonly url: string;
  readonly agent: Agent;
  isReady: boolean;
}

/**
 * Distributes requests over servers like a reverse proxy: it checks the readiness of each server five times a second,
 * keeps connections open, and retries no request. A request that cannot be forwarded gets 502.
 */
export class Balancer {
  readonly #backends: readonly Backend[];
  readonly #server: Server;
  #isOpen = true;
  #turn = 0;

  private constructor(urls: readonly string[]) {
    this.#backends = urls.map((url) => ({
      url,
      agent: new Agent({ keepAlive: true }),
      isReady: false,
    }));
    this.#server = createServer((incoming, outgoing) => this.#pass(incoming, outgoing));
  }

  static async start(urls: readonly string[]): Promise<Balancer> {
    const balancer = new Balancer(urls);
    balancer.#server.listen(0, '127.0.0.1');
    await once(balancer.#server, 'listening');
    for (const backend of balancer.#backends) void balancer.#watch(backend);
    return balancer;
  }

  get url(): string {
    // A server on TCP has an address of this shape.
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Whether this server currently receives requests. */
  uses(url: string): boolean {
    return this.#backends.some((backend) => backend.url === url && backend.isReady);
  }

  stop(): void {
    this.#isOpen = false;
    this.#server.close();
    this.#server.closeAllConnections();
    for (const { agent } of this.#backends) agent.destroy();
  }

  async #watch(backend: Backend): Promise<void> {
    while (this.#isOpen) {
      const answer = await sendRequest(`${backend.url}/health/ready`).catch(() => null);
      backend.isReady = answer?.status === 200;
      await delay(CHECK_EVERY_MS);
    }
  }

  #pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const fail = (why: string) => {
      if (outgoing.headersSent) outgoing.destroy();
      else outgoing.writeHead(502).end(why);
    };
    const ready = this.#backends.filter(({ isReady }) => isReady);
    const backend = ready[this.#turn++ % ready.length];
    if (backend === undefined) return fail('No server is ready');
    const { method, headers, url = '/' } = incoming;
    const passed = request(
      backend.url + url,
      { method, headers: { ...headers, connection: 'keep-alive' }, agent: backend.agent },
      (answer) => {
        const { connection: _, ...others } = answer.headers;
        outgoing.writeHead(answer.statusCode ?? 502, others);
        answer.pipe(outgoing);
        answer.on('error', (error) => fail(error.message));
      },
    );
    passed.on('error', (error) => fail(error.message));
    incoming.pipe(passed);
  }
}
