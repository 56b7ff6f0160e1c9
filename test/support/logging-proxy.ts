import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { OutboundProxy, type OutboundProxySettings } from '#platform/outbound';

/** The answer of the proxy to a request for a tunnel; none: it never answers. */
type ProxyAnswer =
  | { readonly kind: 'tunnel' }
  /** With a body; the connection stays open. */
  | { readonly kind: 'refusal'; readonly status: number; readonly body: string }
  /** Success, and then a text in place of the tunnel. */
  | { readonly kind: 'page'; readonly text: string }
  | { readonly kind: 'silence' };

/** A request for a tunnel. */
interface TunnelRequest {
  readonly authority: string;
  readonly authorization: string | undefined;
  readonly host: string | undefined;
}

const ESTABLISHED = 'HTTP/1.1 200 Connection established\r\n\r\n';

interface LoggingProxyOptions {
  /** `user:password`; without it nobody has to sign in. */
  readonly credentials?: string;
  /** The proxy itself is encrypted. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** A proxy that records the requests for tunnels and the connections that it opens. Every name leads to this machine. */
export class LoggingProxy {
  answer: ProxyAnswer = { kind: 'tunnel' };
  readonly requests: TunnelRequest[] = [];
  /** The local ports of its connections to servers, which those servers see. */
  readonly ports = new Set<number>();
  readonly #sockets = new Set<Duplex>();
  readonly #server;

  private constructor(private readonly options: LoggingProxyOptions) {
    this.#server = options.tls === undefined ? createServer() : createTlsServer(options.tls);
    this.#server.on('connection', (socket: Socket) => this.#track(socket));
    this.#server.on('connect', (request: IncomingMessage, client: Duplex, head: Buffer) => {
      this.#track(client);
      this.#handle(request, client, head);
    });
  }

  /** Starts on a free port of 127.0.0.1. */
  static async start(options: LoggingProxyOptions = {}): Promise<LoggingProxy> {
    const proxy = new LoggingProxy(options);
    await once(proxy.#server.listen(0, '127.0.0.1'), 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port; // A server on TCP has an address of this shape.
  }

  get url(): string {
    return `http${this.options.tls === undefined ? '' : 's'}://127.0.0.1:${this.port}`;
  }

  /** The connections of clients and to servers that are open. */
  get openSockets(): number {
    return this.#sockets.size;
  }

  /** A client of this proxy that exempts nothing, not even loopback. */
  client(changes: Partial<OutboundProxySettings> = {}): OutboundProxy {
    return new OutboundProxy({
      isTls: this.options.tls !== undefined,
      host: '127.0.0.1',
      port: this.port,
      credentials: this.options.credentials ?? null,
      isExempt: () => false,
      ...changes,
    });
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #handle({ url: authority = '', headers }: IncomingMessage, client: Duplex, head: Buffer): void {
    const { host, 'proxy-authorization': authorization } = headers;
    this.requests.push({ authority, authorization, host });
    const { answer } = this;
    if (answer.kind === 'tunnel' && this.#isSignedIn(authorization)) {
      client.write(ESTABLISHED);
      this.#connect(authority, client, head);
      return;
    }
    // Without reading, the end of the client would not be seen.
    client.resume().on('end', () => client.destroy());
    if (answer.kind === 'page') client.end(ESTABLISHED + answer.text);
    if (answer.kind === 'refusal') refuse(client, answer.status, answer.body);
    if (answer.kind === 'tunnel') refuse(client, 407, 'Sign in');
  }

  #isSignedIn(authorization: string | undefined): boolean {
    const { credentials } = this.options;
    if (credentials === undefined) return true;
    return authorization === `Basic ${Buffer.from(credentials).toString('base64')}`;
  }

  #connect(authority: string, client: Duplex, head: Buffer): void {
    const upstream = connect(Number(authority.slice(authority.lastIndexOf(':') + 1)), '127.0.0.1');
    this.#track(upstream);
    upstream.once('connect', () => this.ports.add(upstream.localPort ?? 0));
    if (head.length > 0) upstream.write(head);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.pipe(to);
      from.on('close', () => to.destroy());
    }
  }

  #track(socket: Duplex): void {
    if (this.#sockets.has(socket)) return;
    this.#sockets.add(socket);
    // A test may reset its connections.
    socket.on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
  }
}

/** The connection stays open: the client has to end it. */
function refuse(client: Duplex, status: number, body: string): void {
  const type = 'content-type: text/html';
  client.write(`HTTP/1.1 ${status} No\r\n${type}\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
}
