import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { compile } from '@fastify/proxy-addr';
import { networkOf } from '#core';

/** Times and numbers that bound what the connections of clients may cost. */
export interface ConnectionLimits {
  /** In which the whole body of a request without a file has to arrive. */
  readonly bodyMs: number;
  /** A client that takes nothing of its response for so long is cut off. */
  readonly sendStallMs: number;
  /** How long a connection without a request is kept. */
  readonly keepAliveMs: number;
  readonly maxConnections: number;
  /** Of one IPv4 address or one IPv6 /64 network; trusted proxies are not bounded by it. */
  readonly maxConnectionsPerAddress: number;
}

/** For a server that is given no others. */
export const defaultConnectionLimits: ConnectionLimits = {
  bodyMs: 30_000,
  sendStallMs: 60_000,
  keepAliveMs: 72_000,
  maxConnections: 10_000,
  maxConnectionsPerAddress: 1000,
};

/** Node cuts off a connection whose headers do not come in time when it looks; by default only each 30 s. */
const HEADERS = { headersTimeout: 30_000, connectionsCheckingInterval: 5000 } as const;

/** Makes servers that share one bound on their connections: Fastify makes one for each address of its host name. */
export function boundedServers(
  limits: ConnectionLimits,
  trustedProxies: readonly string[],
): (handler: RequestListener) => Server {
  const isTrusted = trustedProxies.length === 0 ? () => false : compile([...trustedProxies]);
  const counts = new Map<string, number>();
  const admit = (socket: Socket): void => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined) return void socket.destroy();
    if (isTrusted(remoteAddress, 0)) return;
    const network = networkOf(remoteAddress);
    const count = counts.get(network) ?? 0;
    if (count >= limits.maxConnectionsPerAddress) return void socket.destroy();
    counts.set(network, count + 1);
    socket.once('close', () => release(counts, network));
  };
  return (handler) => {
    const server = createServer(HEADERS, handler);
    server.keepAliveTimeout = limits.keepAliveMs;
    // The time of a body is limited for each request: an upload may take longer.
    server.requestTimeout = 0;
    server.maxConnections = limits.maxConnections;
    // An expectation that nobody knows may be ignored; Node would answer 417 without a body.
    server.on('checkExpectation', handler);
    server.prependListener('connection', admit);
    return server;
  };
}

function release(counts: Map<string, number>, network: string): void {
  const left = (counts.get(network) ?? 0) - 1;
  if (left > 0) counts.set(network, left);
  else counts.delete(network);
}
