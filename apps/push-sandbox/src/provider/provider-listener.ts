import { Logger } from '@nestjs/common';
import { once } from 'node:events';
import type { Http2SecureServer, ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import pLimit from 'p-limit';
import type { PlatformMode } from './platform.js';
import { ClientConnection } from './client-connection.js';

interface ListenerOptions {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** Creates a server; called each time that the listener opens. */
  readonly createServer: () => Http2SecureServer;
}

/** The remote end of a socket, as in the events of a server. */
type RemoteEnd = Pick<Socket, 'remoteAddress' | 'remotePort'>;

/**
 * The listener of one provider: it tracks the connections, and applies a platform mode to them.
 *
 * The sessions of node:http2 hide their socket, so connections are identified by the client's address and port.
 */
export class ProviderListener {
  readonly #logger: Logger;
  readonly #connections = new Map<string, ClientConnection>();
  readonly #oneAtATime = pLimit(1);
  #server: Http2SecureServer | undefined;

  constructor(private readonly options: ListenerOptions) {
    this.#logger = new Logger(options.name);
  }

  get isOpen(): boolean {
    return this.#server?.listening ?? false;
  }

  /** Starts to listen; rejects if the port is in use. */
  open(): Promise<void> {
    return this.#oneAtATime(() => this.#listen());
  }

  /** Stops listening and drops all connections. */
  close(): Promise<void> {
    return this.#oneAtATime(() => this.#shut());
  }

  /** Applies a mode to the listener and to all open connections. */
  async enter({ mode }: PlatformMode): Promise<void> {
    if (mode === 'down') await this.close();
    else await this.open();
    for (const connection of this.#connections.values()) {
      if (mode === 'blackhole') connection.silence();
      else connection.unsilence();
      if (mode === 'goaway' && connection.requestsInFlight > 0) connection.goAway();
    }
  }

  /** The connection of a remote end; undefined if it is closed. */
  connectionOf(end: RemoteEnd | undefined): ClientConnection | undefined {
    return end === undefined ? undefined : this.#connections.get(nameOf(end));
  }

  async #listen(): Promise<void> {
    if (this.#server !== undefined) return;
    const { host, port, createServer, name } = this.options;
    const server = createServer();
    server.on('connection', (socket: Socket) => this.#track(socket));
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

  #track(socket: Socket): void {
    const name = nameOf(socket);
    this.#connections.set(name, new ClientConnection(socket));
    socket.on('close', () => this.#connections.delete(name));
    // 'close' follows.
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
