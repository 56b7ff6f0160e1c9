import { isIP } from 'node:net';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import type { OutboundProxy } from './outbound-proxy.js';

/** The server of a TLS connection, and the options for it. */
export interface TlsServer extends ConnectionOptions {
  readonly host: string;
  readonly port: number;
}

/** Begins a TLS connection without a proxy. The socket emits the result. */
export const beginTls = (server: TlsServer): TLSSocket =>
  connect({ ...server, ...(isIP(server.host) === 0 && { servername: server.host }) });

/** Begins a TLS connection in a tunnel of the proxy; the socket emits the result. Rejects with ProxyFault without a tunnel. */
export async function beginTlsThrough(
  proxy: OutboundProxy,
  server: TlsServer,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const socket = await proxy.connect(server.host, server.port, signal);
  return beginTls({ ...server, socket });
}
