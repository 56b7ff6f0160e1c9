import { Agent as PlainAgent, type AgentOptions } from 'node:http';
import { Agent as TlsAgent, type AgentOptions as TlsAgentOptions } from 'node:https';
import type { LookupFunction, NetConnectOpts } from 'node:net';
import { Duplex } from 'node:stream';
import { connect, type ConnectionOptions } from 'node:tls';
import type { OutboundProxy } from './outbound-proxy.js';

/** A request without a deadline waits so long for a tunnel. */
const TUNNEL_DEADLINE_MS = 10_000;

/** Node ignores the socket of a connection that failed, which its typings require. */
const NO_SOCKET = new Duplex();

type OnReady = (error: Error | null, socket: Duplex) => void;

/** A server, and what a request may add: Node does not pass the signal of a request on to its agent. */
interface Destination {
  readonly host?: string | undefined;
  readonly port?: number | string | undefined;
  /** Aborted when the request is given up. */
  readonly abandoned?: AbortSignal;
}

/** Begins a tunnel to a server that has to take the proxy, and returns whether it does. Calls `onReady` with ProxyFault without one. */
function isTunnelled(
  proxy: OutboundProxy | undefined,
  { host = '', port, abandoned }: Destination,
  onReady: OnReady,
): boolean {
  const number = Number(port);
  if (proxy?.isFor(host, number) !== true) return false;
  proxy.connect(host, number, abandoned ?? AbortSignal.timeout(TUNNEL_DEADLINE_MS)).then(
    (socket) => onReady(null, socket),
    (error: Error) => onReady(error, NO_SOCKET),
  );
  return true;
}

/** Connects to servers of `http:` URLs, in a tunnel too: a proxy that forwards requests could answer for the server. */
class OutboundPlainAgent extends PlainAgent {
  constructor(
    private readonly proxy: OutboundProxy | undefined,
    options: AgentOptions,
  ) {
    super(options);
  }

  /** Node calls it for a request without a kept connection. */
  override createConnection(
    options: NetConnectOpts & Destination,
    onReady: OnReady,
  ): Duplex | undefined {
    if (isTunnelled(this.proxy, options, onReady)) return undefined;
    return super.createConnection(options, onReady) ?? undefined;
  }
}

/** Connects to servers of `https:` URLs. */
class OutboundTlsAgent extends TlsAgent {
  constructor(
    private readonly proxy: OutboundProxy | undefined,
    options: TlsAgentOptions,
  ) {
    super(options);
  }

  /** Node calls it for a request without a kept connection. */
  override createConnection(
    options: ConnectionOptions & Destination,
    onReady: OnReady,
  ): Duplex | undefined {
    const encrypt: OnReady = (error, socket) =>
      onReady(error, error === null ? connect({ ...options, socket }) : socket);
    if (isTunnelled(this.proxy, options, encrypt)) return undefined;
    return super.createConnection(options, onReady) ?? undefined;
  }
}

/** Options of the connections: those of Node, and what looks names up where no proxy does. */
export type OutboundAgentOptions = TlsAgentOptions & { readonly lookup?: LookupFunction };

/** The connections of HTTP requests to other servers: in tunnels of the proxy, directly without one and to exempt servers. */
export interface OutboundAgents {
  readonly plain: PlainAgent;
  readonly tls: TlsAgent;
}

/** Agents for Node's requests, and for libraries that take agents. A request may have an option `abandoned`, an AbortSignal. */
export const outboundAgents = (
  proxy: OutboundProxy | undefined,
  options: OutboundAgentOptions = {},
): OutboundAgents => ({
  plain: new OutboundPlainAgent(proxy, options),
  tls: new OutboundTlsAgent(proxy, options),
});
