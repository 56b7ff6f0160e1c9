import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import type { ServerAddress } from '#platform/config';
import { rethrowListenError } from '#platform/core';
import { PresenceCounters } from '#presence/metrics';
import { connectionKey, type PresenceService, RecurringError } from '#presence/rpc';
import { ServerConnection, type ServerConnectionParts } from './server-connection.js';

/** Connections that clients do not close within this time are destroyed. */
const CLOSE_TIMEOUT_MS = 5000;

/** Limit of peers that have not completed the handshake. For more, the oldest one is closed. */
const MAX_UNTRUSTED = 100;

/** Serves a PresenceService to gateways; see docs/decisions/0003-presence-transport.md. */
export class PresenceServer {
  readonly #server: Server;
  readonly #connections = new Map<Socket, ServerConnection>();
  readonly #refusals = new RecurringError(new Logger(PresenceServer.name));

  /** Gateways need the same secret. Without a secret on either side, every peer is served. */
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

  /** Resolves with the port; port 0 selects a free one. Rejects with ConfigError if the address cannot be used. */
  async listen(address: ServerAddress): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject).listen(address.port, address.host, resolve);
    }).catch(rethrowListenError({ host: 'PRESENCE_HOST', port: 'PRESENCE_PORT' }));
    // A listening TCP server has an AddressInfo; the other types are of pipes.
    return (this.#server.address() as AddressInfo).port;
  }

  /** Notifies all gateways that users of a realm came online. */
  notifyOnline(realmId: number): void {
    for (const connection of this.#connections.values()) connection.notifyOnline(realmId);
  }

  /** Takes no more connections, and resolves when all requests are answered and all connections are closed. */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    for (const connection of this.#connections.values()) connection.sendGoingAway();
    const destroyTimer = setTimeout(() => {
      for (const socket of this.#connections.keys()) socket.destroy();
    }, CLOSE_TIMEOUT_MS);
    await closed;
    clearTimeout(destroyTimer);
  }

  #accept(socket: Socket, parts: ServerConnectionParts): void {
    const untrusted = [...this.#connections.values()].filter(({ isTrusted }) => !isTrusted);
    if (untrusted.length >= MAX_UNTRUSTED)
      untrusted[0]?.refuse('Too many connections without a completed handshake');
    this.#connections.set(socket, new ServerConnection(socket, parts));
    this.counters.connections += 1;
    socket.once('close', () => {
      this.#connections.delete(socket);
      this.counters.connections -= 1;
    });
  }
}
