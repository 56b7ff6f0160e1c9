import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { isIP } from 'node:net';
import { connect as connectTls, createSecureContext, type TLSSocket } from 'node:tls';

/** One server, and how to sign in with it below HTTP. */
export interface Http2Origin {
  readonly host: string;
  readonly port: number;
  /** PEM; the system's authorities when left out. */
  readonly certificateAuthority?: string | undefined;
  /** A certificate of ours with its key, PEM. */
  readonly identity?: { readonly certificate: string; readonly key: string } | undefined;
}

/** A session that is being made, and what lies below it. */
export interface OpenedSession {
  readonly session: ClientHttp2Session;
  /** Node lets nobody end the socket through the session, and a dead one never ends by itself. */
  readonly socket: Pick<TLSSocket, 'destroy'>;
}

/** Starts to connect; how it goes is told by the session's events. */
export type OpenSession = () => OpenedSession;

/** Node counts what a session keeps in megabytes; a thousand streams with a body each fit. */
const SESSION_MEMORY_MB = 64;

/** Makes connections to this origin. Throws when its certificates or keys are none. */
export function sessionsWith(origin: Http2Origin): OpenSession {
  const { host, port, certificateAuthority: ca, identity } = origin;
  const secureContext = createSecureContext({
    ...(ca !== undefined && { ca }),
    ...(identity !== undefined && { cert: identity.certificate, key: identity.key }),
  });
  return () => {
    const socket = connectTls({
      host,
      port,
      secureContext,
      ALPNProtocols: ['h2'],
      ...(isIP(host) === 0 && { servername: host }),
    });
    const session = connectHttp2(`https://${host}:${port}`, {
      createConnection: () => socket,
      settings: { enablePush: false },
      maxSessionMemory: SESSION_MEMORY_MB,
    });
    return { session, socket };
  };
}
