import { type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { Readable } from 'node:stream';
import { outboundAgents, type OutboundAgentOptions } from './outbound-agents.js';
import type { OutboundProxy } from './outbound-proxy.js';
import { serverOf } from './server-of.rules.js';

/** A request as that of the fetch API. */
export interface OutboundRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | URLSearchParams | Uint8Array | null | undefined;
  /** Bounds the way through the proxy and the whole answer; without it nothing does. */
  readonly signal?: AbortSignal | null | undefined;
  /** Called when the whole request is on the wire: without an answer, the server may have carried it out. */
  readonly onSent?: (() => void) | undefined;
}

/** Sends a request to an `http:` or `https:` URL. */
export type OutboundFetch = (url: string | URL, request?: OutboundRequest) => Promise<Response>;

/** A connection without a request is kept for so long. */
const IDLE_MS = 4000;

/** The statuses of answers without a body. */
const EMPTY_STATUSES: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * The way of requests to other servers: through the proxy, directly without one and to exempt servers. In place of Node's `fetch`,
 * which takes no proxy. Follows no redirect. Rejects with ProxyFault when the proxy gives no tunnel, with the error of Node otherwise;
 * an answer is always that of the server. The body of an answer has to be read, or cancelled.
 */
export function outboundFetch(
  proxy: OutboundProxy | undefined,
  connections: OutboundAgentOptions = {},
): OutboundFetch {
  const agents = outboundAgents(proxy, { keepAlive: true, timeout: IDLE_MS, ...connections });
  return (given, { method = 'GET', headers = {}, body, signal, onSent } = {}) =>
    new Promise((resolve, reject) => {
      const url = new URL(given);
      const { isTls } = serverOf(url);
      const sent = isTls ? requestTls : requestPlain;
      const content = body instanceof URLSearchParams ? body.toString() : body;
      const options = {
        method,
        headers: {
          ...(body instanceof URLSearchParams && {
            'content-type': 'application/x-www-form-urlencoded;charset=UTF-8',
          }),
          ...(content !== null &&
            content !== undefined && { 'content-length': byteLength(content) }),
          ...headers,
        },
        agent: isTls ? agents.tls : agents.plain,
        ...(signal && { signal, abandoned: signal }),
      };
      const asked = sent(url, options, (answer) => {
        try {
          resolve(responseOf(answer));
        } catch (error) {
          answer.destroy();
          reject(error as Error); // A status or a header that no answer may have.
        }
      });
      asked.on('error', reject);
      if (onSent !== undefined) asked.on('finish', onSent);
      // Without a connection there is no event.
      signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      asked.end(content ?? undefined);
    });
}

const byteLength = (content: string | Uint8Array): number =>
  typeof content === 'string' ? Buffer.byteLength(content) : content.byteLength;

function responseOf(answer: IncomingMessage): Response {
  const { statusCode: status = 0, rawHeaders } = answer;
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
  }
  if (EMPTY_STATUSES.has(status)) {
    answer.resume();
    return new Response(null, { status, headers });
  }
  return new Response(Readable.toWeb(answer) as ReadableStream, { status, headers });
}
