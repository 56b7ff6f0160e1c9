import { once } from 'node:events';
import {
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';

/** One request as it arrived, body and all. */
export interface ProviderRequest {
  readonly response: Http2ServerResponse;
  readonly connection: ProviderConnection;
  /** The device token, from the path (Apple) or the body (Google). */
  readonly token: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Answers that the push is accepted. */
  accept(): void;
}

/** One client's connection. */
export class ProviderConnection {
  /** None over HTTP/1.1. */
  session: ServerHttp2Session | undefined;
  /** Ids of the HTTP/2 streams, in the order in which they came. */
  readonly streamIds: number[] = [];
  /** How many requests were under way at the same time, at most. */
  mostAtOnce = 0;
  #underWay = 0;

  constructor(readonly socket: TLSSocket) {}

  /** PEM; where the client has shown one. */
  get clientCertificate(): string | undefined {
    return this.socket.getPeerX509Certificate()?.toString();
  }

  /** Allows so many streams from now on, and counts anew from when the client knows. */
  async allow(streams: number): Promise<void> {
    await new Promise<void>((resolve) => {
      this.session?.settings({ maxConcurrentStreams: streams }, () => resolve());
    });
    this.mostAtOnce = this.#underWay;
  }

  began({ stream }: Http2ServerRequest): void {
    this.#underWay += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#underWay);
    if (stream?.id !== undefined) this.streamIds.push(stream.id);
  }

  ended(): void {
    this.#underWay -= 1;
  }
}

export interface FakeProvider {
  readonly port: number;
  readonly connections: readonly ProviderConnection[];
  readonly requests: readonly ProviderRequest[];
  /** Tokens of the pushes that were accepted, with repetitions. */
  readonly accepted: readonly string[];
  stop(): Promise<void>;
}

interface FakeProviderOptions {
  readonly tls: { readonly cert: string; readonly key: string };
  readonly streams?: number;
  /** Asks clients for a certificate, and takes any. */
  readonly requestCert?: boolean;
  /** What to do with a request; they are accepted when it is left out. */
  readonly handle?: (request: ProviderRequest, provider: FakeProvider) => void;
}

/** A server that takes pushes in the form of Apple's and Google's, and does to them what a test wants. */
export async function startFakeProvider(options: FakeProviderOptions): Promise<FakeProvider> {
  // HTTP/2 shows only a stand-in for a socket: the client's port is what tells connections apart.
  const byPort = new Map<number | undefined, ProviderConnection>();
  const requests: ProviderRequest[] = [];
  const accepted: string[] = [];
  const server = createSecureServer({
    ...options.tls,
    allowHTTP1: true,
    settings: { maxConcurrentStreams: options.streams ?? 100 },
    ...(options.requestCert && { requestCert: true, rejectUnauthorized: false }),
  });
  // Clients may leave as they like.
  const ignore = () => undefined;
  // Before Node's own listener, which makes a session of it.
  server.prependListener('secureConnection', (socket: TLSSocket) => {
    byPort.set(socket.remotePort, new ProviderConnection(socket));
    socket.on('error', ignore);
  });
  server.on('session', (session) => {
    const connection = byPort.get(session.socket.remotePort);
    if (connection !== undefined) connection.session = session;
    session.on('error', ignore);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // It listens on TCP.

  const provider: FakeProvider = {
    port,
    get connections() {
      return [...byPort.values()];
    },
    requests,
    accepted,
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const { socket } of byPort.values()) socket.destroy();
      await closed;
    },
  };

  const take = async (incoming: Http2ServerRequest, response: Http2ServerResponse) => {
    const connection = byPort.get(incoming.socket.remotePort);
    if (connection === undefined) return;
    connection.began(incoming);
    response.on('close', () => connection.ended());
    const token = tokenOf(incoming.url, await text(incoming));
    const accept = () => {
      accepted.push(token);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"name":"projects/p/messages/1"}');
    };
    const request = { response, connection, token, headers: incoming.headers, accept };
    requests.push(request);
    if (options.handle === undefined) accept();
    else options.handle(request, provider);
  };
  server.on('request', (incoming, response) => {
    incoming.on('error', ignore);
    response.on('error', ignore);
    take(incoming, response).catch(ignore);
  });
  return provider;
}

function tokenOf(path: string, body: string): string {
  const inPath = /^\/3\/device\/([^/]+)$/.exec(path)?.[1];
  if (inPath !== undefined) return inPath;
  const { message } = JSON.parse(body) as { message: { token: string } }; // What a test sends itself.
  return message.token;
}
