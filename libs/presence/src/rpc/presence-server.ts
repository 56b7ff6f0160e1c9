import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import type { PresenceService } from '#contracts';
import { PresenceCounters } from '../presence-counters.js';
import { connectionKey } from './handshake.js';
import { RecurringError } from './recurring-error.js';
import { ServerConnection, type ServerConnectionParts } from './server-connection.js';

/** Clients that do not close their connection within this are cut off. */
const GOODBYE_MS = 5000;

/** Of peers that have proved nothing, so many may be connected; beyond, the one that waits longest is closed. */
const MOST_UNTRUSTED = 100;

/** Serves a PresenceService to gateways; see docs/decisions/0003-presence-transport.md. */
export class PresenceServer {
  readonly #server: Server;
  readonly #connections = new Map<Socket, ServerConnection>();
  readonly #refusals = new RecurringError(new Logger(PresenceServer.name));

  /** Gateways need the same secret; without one on either side, anybody who reaches the port is answered. */
  constructor(
    service: PresenceService,
    private readonly counters = new PresenceCounters(),
    secret: Buffer | null = null,
  ) {
    const parts: ServerConnectionParts = {
      service,
      counters,
      key: connectionKey(secret),
      onRefused: (reason) => this.#refusals.log(`A connection was refused: ${reason}`),
    };
    this.#server = createServer((socket) => this.#accept(socket, parts));
  }

  /** Resolves with the port when it listens; port 0 takes a free one. Rejects when it cannot. */
  async listen(address: { readonly host: string; readonly port: number }): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject).listen(address.port, address.host, resolve);
    });
    // A listening TCP server has an AddressInfo; the other types are of pipes.
    return (this.#server.address() as AddressInfo).port;
  }

  /** Takes no more connections and resolves when what was asked is answered. */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    for (const connection of this.#connections.values()) connection.sayGoodbye();
    const cutOff = setTimeout(() => {
      for (const socket of this.#connections.keys()) socket.destroy();
    }, GOODBYE_MS);
    await closed;
    clearTimeout(cutOff);
  }

  #accept(socket: Socket, parts: ServerConnectionParts): void {
    const untrusted = [...this.#connections.values()].filter(({ isTrusted }) => !isTrusted);
    if (untrusted.length >= MOST_UNTRUSTED) untrusted[0]?.refuse('Too many peers prove nothing');
    this.#connections.set(socket, new ServerConnection(socket, parts));
    this.counters.connections += 1;
    socket.once('close', () => {
      this.#connections.delete(socket);
      this.counters.connections -= 1;
    });
  }
}
