import { request as requestPlain } from 'node:http';
import { request as requestTls, type RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import { beginTlsThrough, type OutboundProxy, serverOf } from '#platform/outbound';

/** A JSON text for a URL, and the way there. */
interface JsonPost {
  readonly url: URL;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly proxy: OutboundProxy | undefined;
  /** For the whole exchange. */
  readonly deadlineMs: number;
}

/**
 * Posts once, over a connection of its own, and resolves with the status of the answer, whose body is not read. Follows no
 * redirect. Rejects without an answer in time; with ProxyFault if the proxy gives no tunnel.
 */
export async function postJson({ url, body, headers, proxy, deadlineMs }: JsonPost) {
  const signal = AbortSignal.timeout(deadlineMs);
  const socket = await tunnelTo(url, proxy, signal);
  const options: RequestOptions = {
    method: 'POST',
    signal,
    headers: {
      ...headers,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    },
    // A connection to keep would be idle most of the time.
    ...(socket === undefined ? { agent: false } : { createConnection: () => socket }),
  };
  return new Promise<number>((resolve, reject) => {
    const request = (serverOf(url).isTls ? requestTls : requestPlain)(url, options, (answer) => {
      resolve(answer.statusCode ?? 0);
      answer.destroy();
    });
    request.on('error', reject);
    request.end(body);
  });
}

async function tunnelTo(
  url: URL,
  proxy: OutboundProxy | undefined,
  signal: AbortSignal,
): Promise<Socket | undefined> {
  const { host, port, isTls } = serverOf(url);
  if (proxy === undefined || !proxy.isFor(host, port)) return undefined;
  return isTls ? beginTlsThrough(proxy, { host, port }, signal) : proxy.connect(host, port, signal);
}
