import type { Http2ServerResponse } from 'node:http2';
import type { Readable } from 'node:stream';
import { parseJsonOrUndefined } from '#platform/core';
import type { ClientConnection } from './client-connection.js';

/** The answer to one request. */
export interface HttpAnswer {
  readonly status: number;
  /** Apple's `reason` or Google's error code; null for an accepted request. */
  readonly reason: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A page as front ends and proxies answer with. */
export const htmlPage = (status: number, retryAfter?: number): HttpAnswer => ({
  status,
  reason: null,
  headers: { 'content-type': 'text/html; charset=UTF-8', ...retryAfterHeader(retryAfter) },
  body: `<!DOCTYPE html><title>Error ${status}</title><p><b>${status}.</b> That’s an error.`,
});

/** A `retry-after` header, or no header. */
export function retryAfterHeader(seconds: number | undefined): Record<string, string> {
  return seconds === undefined ? {} : { 'retry-after': String(seconds) };
}

/** The bearer token of an `authorization` header; undefined without one. */
export function bearerTokenOf(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
}

/**
 * Reads the body of a request and cuts it to `maxBytes` + 1, so that its length shows an excess. Undefined if the
 * client disconnects before the end.
 */
export async function readBody(stream: Readable, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of stream) {
      // Without an encoding the chunks are buffers.
      const bytes: Buffer = chunk;
      if (length <= maxBytes) chunks.push(bytes);
      length += bytes.length;
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes + 1);
}

/** The headers with one value each: the first one of a list. */
export function singleHeaders(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Record<string, string> {
  const single: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const first = typeof value === 'string' ? value : value?.[0];
    if (first !== undefined) single[name] = first;
  }
  return single;
}

/** The headers for the control API: without credentials and pseudo-headers. */
export function visibleHeaders(
  headers: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const visible: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name.startsWith(':')) continue;
    visible[name] = name === 'authorization' ? '(hidden)' : value;
  }
  return visible;
}

/** The value of a JSON text; any other text as it is. */
export function jsonOrText(text: string): unknown {
  const value = parseJsonOrUndefined(text);
  return value === undefined ? text : value;
}

/** Sends an answer over HTTP/2 or HTTP/1.1, unless the client has gone. */
export function sendAnswer(
  response: Http2ServerResponse,
  connection: ClientConnection,
  { status, headers, body }: HttpAnswer,
): void {
  if (response.writableEnded || response.destroyed) return;
  const isLastOverHttp1 = connection.session === undefined && connection.isGoingAway;
  response.writeHead(status, { ...headers, ...(isLastOverHttp1 && { connection: 'close' }) });
  response.end(body);
}
