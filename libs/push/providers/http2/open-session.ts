import { AsyncResource } from 'node:async_hooks';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect as connectHttp2,
  type OutgoingHttpHeaders,
} from 'node:http2';
import type { LookupFunction } from 'node:net';
import { createSecureContext, type TLSSocket } from 'node:tls';
import { beginTls, beginTlsThrough, type OutboundProxy } from '#platform/outbound';

/** One server, and the TLS options for it. */
interface Http2Origin {
  readonly host: string;
  readonly port: number;
  /** PEM; the system's authorities when left out. */
  readonly certificateAuthority?: string | undefined;
  /** The client certificate and its key, PEM. */
  readonly identity?: { readonly certificate: string; readonly key: string } | undefined;
  /** The proxy for all connections, unless it exempts this server. */
  readonly proxy?: OutboundProxy | undefined;
  /** Looks the host up for connections without the proxy; by default the system does. */
  readonly lookup?: LookupFunction | undefined;
}

/** A session that is being opened, and its socket. */
export interface OpenedSession {
  readonly session: ClientHttp2Session;
  /** Needed to end a dead connection: the session does not allow to destroy its socket. */
  readonly socket: Pick<TLSSocket, 'destroy'>;
}

/**
 * Starts to connect; the session emits the result as an event. A tunnel has to be open before: until then there is a promise,
 * which rejects with ProxyFault, also when `signal` is aborted.
 */
export type OpenSession = (signal: AbortSignal) => OpenedSession | Promise<OpenedSession>;

/** In megabytes; enough for a thousand streams with a body each. */
const SESSION_MEMORY_MB = 64;

/** Opens connections to this origin. Throws for an invalid certificate or key. */
export function sessionsWith(origin: Http2Origin): OpenSession {
  const { host, port, certificateAuthority: ca, identity, proxy, lookup } = origin;
  const secureContext = createSecureContext({
    ...(ca !== undefined && { ca }),
    ...(identity !== undefined && { cert: identity.certificate, key: identity.key }),
  });
  const server = { host, port, secureContext, ALPNProtocols: ['h2'] };
  const openOver = (socket: TLSSocket): OpenedSession => {
    const session = connectHttp2(`https://${host}:${port}`, {
      createConnection: () => socket,
      settings: { enablePush: false },
      maxSessionMemory: SESSION_MEMORY_MB,
    });
    return { session, socket };
  };
  if (proxy?.isFor(host, port) !== true)
    return () => openOver(beginTls({ ...server, ...(lookup !== undefined && { lookup }) }));
  return async (signal) => openOver(await beginTlsThrough(proxy, server, signal));
}

type Work = (this: unknown, ...args: unknown[]) => unknown;

const usualBind = AsyncResource.prototype.bind;
const bound = new AsyncResource('Probe').bind(() => undefined);
/** Only Node 20 defines these accessors. */
const isBindSlow = Object.hasOwn(bound, 'asyncResource');

/**
 * Opens a stream. Node 20 binds a function for each stream and defines two deprecated accessors on it, which cost up
 * to a third of a push. For the duration of this call a `bind` without them is in place.
 */
export function openStream(
  session: Pick<ClientHttp2Session, 'request'>,
  headers: OutgoingHttpHeaders,
): ClientHttp2Stream {
  if (!isBindSlow) return session.request(headers);
  AsyncResource.prototype.bind = fastBind as AsyncResource['bind'];
  try {
    return session.request(headers);
  } finally {
    AsyncResource.prototype.bind = usualBind;
  }
}

function fastBind(this: AsyncResource, work: Work): Work {
  return (...args) => this.runInAsyncScope(work, undefined, ...args);
}
