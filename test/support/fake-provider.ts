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

/** A received request with its body. */
export interface ProviderRequest {
  readonly response: Http2ServerResponse;
  readonly connection: ProviderConnection;
  /** The device token, from the path (Apple) or the body (Google). */
  readonly token: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Responds that the push is accepted. */
  accept(): void;
}

/** A connection of a client. */
class ProviderConnection {
  /** Undefined over HTTP/1.1. */
  session: ServerHttp2Session | undefined;
  /** Ids of the HTTP/2 streams, in the order of arrival. */
  readonly streamIds: number[] = [];
  /** The maximum number of concurrent requests. */
  mostAtOnce = 0;
  #underWay = 0;

  constructor(readonly socket: TLSSocket) {}

  /** The client certificate in PEM, if the client sent one. */
  get clientCertificate(): string | undefined {
    return this.socket.getPeerX509Certificate()?.toString();
  }

  /** Sets the limit of concurrent streams, and restarts the count when the client has acknowledged it. */
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
  /** Tokens of the accepted pushes, with repetitions. */
  readonly accepted: readonly string[];
  stop(): Promise<void>;
}

interface FakeProviderOptions {
  readonly tls: { readonly cert: string; readonly key: string };
  readonly streams?: number;
  /** Requests a client certificate, and accepts any. */
  readonly requestCert?: boolean;
  /** Handles a request; by default the push is accepted. */
  readonly handle?: (request: ProviderRequest, provider: FakeProvider) => void;
}

/** A server with the interfaces of APNs and FCM, which a test scripts. */
export async function startFakeProvider(options: FakeProviderOptions): Promise<FakeProvider> {
  // HTTP/2 hides the socket behind a proxy object: connections are identified by the port of the client.
  const byPort = new Map<number | undefined, ProviderConnection>();
  const requests: ProviderRequest[] = [];
  const accepted: string[] = [];
  const server = createSecureServer({
    ...options.tls,
    allowHTTP1: true,
    settings: { maxConcurrentStreams: options.streams ?? 100 },
    ...(options.requestCert && { requestCert: true, rejectUnauthorized: false }),
  });
  // A client may reset its connection.
  const ignore = () => undefined;
  // Runs before Node's own listener, which turns the socket into a session.
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
  const { port } = server.address() as AddressInfo; // A server on TCP has an address of this shape.

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
  const { message } = JSON.parse(body) as { message: { token?: string; fid?: string } }; // The tests send only this shape.
  return message.fid ?? message.token ?? '';
}
