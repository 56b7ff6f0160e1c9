import { request as requestPlain, type IncomingMessage } from 'node:http';
import { request as requestTls } from 'node:https';
import { isIPv6, type Socket } from 'node:net';
import { errorCode, errorText } from '#platform/core';
import type { ProxyExemption } from './no-proxy.rules.js';

/** A proxy for outgoing connections, and the hosts that are reached without it. */
export interface OutboundProxySettings {
  /** Whether the connection to the proxy itself is encrypted. */
  readonly isTls: boolean;
  readonly host: string;
  readonly port: number;
  /** `user:password`; secret. Null for a proxy without a sign-in. */
  readonly credentials: string | null;
  /** PEM, for the certificate of the proxy; the system's authorities when left out. */
  readonly certificateAuthority?: string | undefined;
  readonly isExempt: ProxyExemption;
}

/** The proxy gave no tunnel. The message names the proxy, and neither its credentials nor its texts. */
export class ProxyFault extends Error {
  override readonly name = 'ProxyFault';

  constructor(
    message: string,
    /** Whether the proxy refuses its credentials, or wants some. */
    readonly isSignInRefused = false,
  ) {
    super(message);
  }
}

const PROXY_AUTHENTICATION_REQUIRED = 407;

/** Opens tunnels through a proxy (RFC 9110, 9.3.6). */
export class OutboundProxy {
  /** Host and port, for logs. */
  readonly name: string;

  constructor(private readonly settings: OutboundProxySettings) {
    this.name = authorityOf(settings.host, settings.port);
  }

  /** Whether connections to this server have to take the proxy. */
  isFor(host: string, port: number): boolean {
    return !this.settings.isExempt(host, port);
  }

  /**
   * A connection to this server, through the proxy, which resolves its name. Rejects with ProxyFault, also when `signal` is
   * aborted before.
   */
  connect(host: string, port: number, signal: AbortSignal): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const asked = this.#ask(authorityOf(host, port));
      const abort = () => void asked.destroy(new Error('no answer in time'));
      const fail = (fault: ProxyFault) => {
        signal.removeEventListener('abort', abort);
        reject(fault);
      };
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) abort();
      asked.on('error', (error) => {
        fail(new ProxyFault(`the proxy ${this.name}: ${errorCode(error) ?? errorText(error)}`));
      });
      asked.once('connect', (answer: IncomingMessage, socket: Socket, head: Buffer) => {
        // Its user gets the error too; until then there is none.
        socket.on('error', ignore);
        const fault = this.#faultOf(answer);
        if (fault !== null) {
          socket.destroy();
          fail(fault);
          return;
        }
        signal.removeEventListener('abort', abort);
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
      });
      asked.end();
    });
  }

  #ask(authority: string) {
    const { isTls, host, port, credentials, certificateAuthority: ca } = this.settings;
    const options = {
      method: 'CONNECT',
      host,
      port,
      path: authority,
      headers: {
        host: authority,
        ...(credentials !== null && { 'proxy-authorization': basicOf(credentials) }),
      },
      // A tunnel is no connection to keep.
      agent: false as const,
    };
    if (!isTls) return requestPlain(options);
    return requestTls({ ...options, ...(ca !== undefined && { ca }) });
  }

  #faultOf({ statusCode = 0 }: IncomingMessage): ProxyFault | null {
    if (statusCode >= 200 && statusCode < 300) return null;
    return new ProxyFault(
      `the proxy ${this.name} answered ${statusCode}`,
      statusCode === PROXY_AUTHENTICATION_REQUIRED,
    );
  }
}

const ignore = () => undefined;

const basicOf = (credentials: string): string =>
  `Basic ${Buffer.from(credentials).toString('base64')}`;

const authorityOf = (host: string, port: number): string =>
  isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
