import { once } from 'node:events';
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { createECDH, generateKeyPairSync, randomBytes } from 'node:crypto';
import ece from 'http_ece';
import type { OutgoingPush, WebPushSettings } from '#push/providers';
import { WebPushTransport } from '#push/providers';
import { pushTo } from '#test/outgoing-push';
import {
  makeServerIdentity,
  type ServerIdentity,
} from '../../apps/push-sandbox/src/credentials/certificate-authority.js';

/** One row of the suite. */
export type Case = (world: WebPushWorld) => Promise<void>;

export const accepted = { kind: 'accepted' };
/** A deadline that is long enough for a TLS handshake on a busy machine. */
export const SHORT_MS = 2000;
export const page = '<html><body>No</body></html>';

/** A server of a push service: which name it has, and what it speaks. */
export interface Way {
  readonly name: string;
  readonly host: string;
  readonly isKnown: boolean;
  readonly speaksHttp2: boolean;
}

const OTHER_HOST = 'push.example.org';

/** The ways by which the driver sends. */
export const ways: readonly Way[] = [
  {
    name: 'the service of a browser',
    host: 'updates.push.services.mozilla.com',
    isKnown: true,
    speaksHttp2: true,
  },
  {
    name: 'the service of a browser that speaks no HTTP/2',
    host: 'updates.push.services.mozilla.com',
    isKnown: true,
    speaksHttp2: false,
  },
  { name: 'a host that a user has chosen', host: OTHER_HOST, isKnown: false, speaksHttp2: true },
  {
    name: 'a host that a user has chosen, without HTTP/2',
    host: OTHER_HOST,
    isKnown: false,
    speaksHttp2: false,
  },
];

/** A received push. */
export interface ReceivedPush {
  readonly request: Http2ServerRequest;
  readonly response: Http2ServerResponse;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

type Handle = (push: ReceivedPush, count: number) => void;

/** Answers with a status. */
export const answering =
  (status: number, headers: Record<string, string> = {}, body = ''): Handle =>
  ({ response }) => {
    response.writeHead(status, headers);
    response.end(body);
  };

/** A push service that a test scripts. */
export interface FakeService {
  readonly port: number;
  readonly received: readonly ReceivedPush[];
  /** Its connections, also the closed ones. */
  readonly sockets: readonly Socket[];
  /** The ports of its clients. */
  readonly clientPorts: ReadonlySet<number | undefined>;
  handle: Handle;
}

/** A subscription whose messages a library opens. */
export class ClientUnderTest {
  readonly #pair = createECDH('prime256v1');
  readonly auth = randomBytes(16);

  constructor() {
    this.#pair.generateKeys();
  }

  get p256dh(): Buffer {
    return this.#pair.getPublicKey();
  }

  open(body: Buffer): string {
    const options = {
      version: 'aes128gcm',
      privateKey: this.#pair,
      authSecret: this.auth,
    } as const;
    return ece.decrypt(body, options).toString();
  }
}

/** A VAPID key pair with an id. */
export function vapidKey(id: number) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const point = [Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')];
  return { id, privateKey, publicKey: Buffer.concat(point).toString('base64url') };
}

const keys = [vapidKey(1), vapidKey(2)];

/** The identity of every fake service; its authority has no name of the system. */
export const makeIdentity = (): Promise<ServerIdentity> =>
  makeServerIdentity(new Date(), OTHER_HOST);

/** The driver and the services of a case, by one way. */
export class WebPushWorld {
  readonly client = new ClientUnderTest();
  readonly #closers: (() => Promise<void>)[] = [];

  constructor(
    readonly way: Way,
    private readonly identity: ServerIdentity,
  ) {}

  /** Starts a service; by default it accepts every push. */
  async serve(handle: Handle = answering(201)): Promise<FakeService> {
    const received: ReceivedPush[] = [];
    const sockets: Socket[] = [];
    const clientPorts = new Set<number | undefined>();
    const tls = { cert: this.identity.certificate, key: this.identity.key };
    const server = this.way.speaksHttp2
      ? createSecureServer({ ...tls, allowHTTP1: true })
      : // Both have the same interface for requests.
        (createServer(tls) as unknown as Http2SecureServer);
    const ignore = () => undefined;
    server.on('connection', (socket: Socket) => {
      sockets.push(socket);
      clientPorts.add(socket.remotePort);
      socket.on('error', ignore);
    });
    server.on('sessionError', ignore);
    const service = { port: 0, received, sockets, clientPorts, handle };
    server.on('request', (request, response) => {
      request.on('error', ignore);
      response.on('error', ignore);
      buffer(request).then((body) => {
        const push = { request, response, headers: request.headers, body };
        received.push(push);
        service.handle(push, received.length);
      }, ignore);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    service.port = (server.address() as AddressInfo).port; // A server on TCP has an address of this shape.
    this.closeLater(async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    });
    return service;
  }

  /** Opens a transport that finds every name on this machine, and permits that. */
  open(changes: Partial<WebPushSettings> = {}, ports: readonly number[] = []): WebPushTransport {
    const sut = new WebPushTransport({
      endpoints: this.endpoints({ ports }),
      contact: 'mailto:ops@example.org',
      deadlineMs: 10_000,
      certificateAuthority: this.identity.authority,
      keyOf: async (id) => keys.find((key) => key.id === id) ?? null,
      textOf: (_push, maxBytes) => JSON.stringify({ type: 'test', maxBytes }),
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
      ...changes,
    });
    this.closeLater(() => sut.close());
    return sut;
  }

  /** The services of browsers and one other host, which may be on this machine. */
  endpoints(changes: Partial<WebPushSettings['endpoints']> = {}): WebPushSettings['endpoints'] {
    const hosts = [this.way.host];
    return { hosts, ports: [], privateHosts: hosts, ...changes };
  }

  /** A push to the service at this port. */
  push(port: number, changes: Partial<OutgoingPush> = {}, vapidKeyId = 1): OutgoingPush {
    const { p256dh, auth } = this.client;
    return pushTo(`https://${this.way.host}:${port}/wpush/${randomBytes(8).toString('hex')}?a=b`, {
      web: {
        kind: 'browser',
        p256dh,
        auth,
        vapidKeyId,
        readMessageIds: [],
        failingSince: null,
        goneSince: null,
        refusedCount: 0,
      },
      ...changes,
    });
  }

  closeLater(close: () => Promise<void>): void {
    this.#closers.unshift(close);
  }

  async end(): Promise<void> {
    for (const close of this.#closers) await close();
  }
}
