import { Logger } from '@nestjs/common';
import { once } from 'node:events';
import type { Http2SecureServer, ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import pLimit from 'p-limit';
import type { PlatformMode } from './platform-mode.js';
import { WireConnection } from './wire-connection.js';

export interface WireOptions {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** Makes a server that does not listen yet; called each time the wire opens. */
  readonly createServer: () => Http2SecureServer;
}

/** What a server's events tell of the socket that something arrived on. */
type RemoteEnd = Pick<Socket, 'remoteAddress' | 'remotePort'>;

/**
 * The door of one provider: it listens, knows who is connected, and does to the connections what
 * a platform mode asks.
 *
 * node:http2 shows a session only a stand-in for its socket, so connections are found by the
 * client's address and port, which no two open connections share.
 */
export class Wire {
  readonly #logger: Logger;
  readonly #connections = new Map<string, WireConnection>();
  readonly #oneAtATime = pLimit(1);
  #server: Http2SecureServer | undefined;

  constructor(private readonly options: WireOptions) {
    this.#logger = new Logger(options.name);
  }

  get isOpen(): boolean {
    return this.#server?.listening ?? false;
  }

  /** Starts to listen; rejects when the port is taken. */
  open(): Promise<void> {
    return this.#oneAtATime(() => this.#listen());
  }

  /** Refuses connections from now on and drops those that are open. */
  close(): Promise<void> {
    return this.#oneAtATime(() => this.#shut());
  }

  /** Does what a mode asks of the connections that are open now; resolves when it is done. */
  async enter({ mode }: PlatformMode): Promise<void> {
    if (mode === 'down') await this.close();
    else await this.open();
    for (const connection of this.#connections.values()) {
      if (mode === 'blackhole') connection.fallSilent();
      else connection.speakAgain();
      if (mode === 'goaway' && connection.requestsInFlight > 0) connection.sayGoodbye();
    }
  }

  /** The connection that something arrived on; undefined when it is gone already. */
  connectionOf(end: RemoteEnd | undefined): WireConnection | undefined {
    return end === undefined ? undefined : this.#connections.get(nameOf(end));
  }

  async #listen(): Promise<void> {
    if (this.#server !== undefined) return;
    const { host, port, createServer, name } = this.options;
    const server = createServer();
    server.on('connection', (socket: Socket) => this.#remember(socket));
    server.on('session', (session) => this.#identify(session));
    server.on('sessionError', (error) => this.#logger.debug(`Session failed: ${error.message}`));
    server.on('tlsClientError', (error) => this.#logger.debug(`TLS failed: ${error.message}`));
    server.listen(port, host);
    await once(server, 'listening');
    this.#server = server;
    this.#logger.log(`${name} listens on ${host}:${port}`);
  }

  async #shut(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = once(server, 'close');
    server.close();
    for (const connection of this.#connections.values()) connection.drop();
    await closed;
  }

  #remember(socket: Socket): void {
    const name = nameOf(socket);
    this.#connections.set(name, new WireConnection(socket));
    socket.on('close', () => this.#connections.delete(name));
    // Clients may leave as they like; 'close' follows and is all that matters here.
    socket.on('error', (error) => this.#logger.debug(`Connection failed: ${error.message}`));
  }

  #identify(session: ServerHttp2Session): void {
    const connection = this.connectionOf(session.socket);
    if (connection !== undefined) connection.session = session;
  }
}

function nameOf(end: RemoteEnd): string {
  return `${end.remoteAddress} ${end.remotePort}`;
}
