import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { PresenceService } from '#contracts';
import { PresenceCounters } from '../presence-counters.js';
import { ServerConnection } from './server-connection.js';

/** Clients that do not close their connection within this are cut off. */
const GOODBYE_MS = 5000;

/** Serves a PresenceService to gateways; see docs/decisions/0003-presence-transport.md. */
export class PresenceServer {
  readonly #server: Server;
  readonly #connections = new Map<Socket, ServerConnection>();

  constructor(service: PresenceService, counters = new PresenceCounters()) {
    this.#server = createServer((socket) => {
      this.#connections.set(socket, new ServerConnection(socket, service, counters));
      counters.connections += 1;
      socket.once('close', () => {
        this.#connections.delete(socket);
        counters.connections -= 1;
      });
    });
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
}
