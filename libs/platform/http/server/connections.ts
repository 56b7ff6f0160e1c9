import type { EventEmitter } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import { compile } from '@fastify/proxy-addr';
import { ApiError, requestErrors } from '#platform/contracts';
import { addToCount, errorCode, networkOf } from '#platform/core';
import { crossOriginHeaders } from './cross-origin-headers.js';
import { errorBody } from './response-body.rules.js';

/** The limits of client connections. */
export interface ConnectionLimits {
  /** The time limit for the whole body of a request without a file. */
  readonly bodyMs: number;
  /** A client that reads nothing of its response for this time is disconnected. */
  readonly sendStallMs: number;
  /** The idle timeout of a connection. */
  readonly keepAliveMs: number;
  readonly maxConnections: number;
  /** For one IPv4 address or one IPv6 /64 network, except trusted proxies. */
  readonly maxConnectionsPerAddress: number;
}

export const defaultConnectionLimits: ConnectionLimits = {
  bodyMs: 30_000,
  sendStallMs: 60_000,
  keepAliveMs: 72_000,
  maxConnections: 10_000,
  maxConnectionsPerAddress: 1000,
};

const HEADERS = {
  headersTimeout: 30_000,
  // Node checks for late headers at this interval; the default is 30 s.
  connectionsCheckingInterval: 5000,
  // `hasOneHost` checks it: Node would answer without a body.
  requireHostHeader: false,
} as const;

/** A factory of servers with a shared connection limit: Fastify creates one server for each address of its host name. */
export function boundedServers(
  limits: ConnectionLimits,
  trustedProxies: readonly string[],
): (handler: RequestListener) => Server {
  const isTrusted = trustedProxies.length === 0 ? () => false : compile([...trustedProxies]);
  const counts = new Map<string, number>();
  const accept = (socket: Socket): void => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined) return void socket.destroy();
    if (isTrusted(remoteAddress, 0)) return;
    const network = networkOf(remoteAddress);
    const count = counts.get(network) ?? 0;
    if (count >= limits.maxConnectionsPerAddress) return void socket.destroy();
    addToCount(counts, network, 1);
    socket.once('close', () => addToCount(counts, network, -1));
  };
  return (handler) => {
    const server = createServer(HEADERS, handler);
    server.keepAliveTimeout = limits.keepAliveMs;
    // The body time is limited per request: an upload may take longer.
    server.requestTimeout = 0;
    server.maxConnections = limits.maxConnections;
    // An unknown expectation may be ignored; Node would answer 417 without a body.
    server.on('checkExpectation', handler);
    server.prependListener('connection', accept);
    return server;
  };
}

/** Whether a request has one `Host`; HTTP/1.0 does not require it (RFC 9112, section 3.2). */
export function hasOneHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0');
}

/** Calls back once, when the first of some requests, responses and connections closes. */
export function onceAnyClosed(emitters: readonly EventEmitter[], listener: () => void): void {
  const onClose = () => {
    for (const emitter of emitters) emitter.off('close', onClose);
    listener();
  };
  for (const emitter of emitters) emitter.once('close', onClose);
}

/** No response of the API may be cached. */
export const neverCache = {
  Expires: 'Thu, 01 Jan 1970 00:00:00 GMT',
  'Cache-Control': 'max-age=0, no-cache, no-store, must-revalidate, private',
} as const;

/** After the response, the rest of a body is read for this time, so that the client can receive the response. */
const REST_MS = 2000;

/**
 * Discards the rest of the body of an answered request, and closes its connection unless the rest arrives soon. Call it when
 * nothing needs the body any more.
 */
export function dropRestOfBody(request: IncomingMessage): void {
  // A body that something has paused, or stopped reading, would keep later requests from being read, and never close.
  request.unpipe().resume();
  if (request.complete) return;
  const timer = setTimeout(() => {
    // The connection may already serve the next request.
    if (!request.complete) request.socket.destroy();
  }, REST_MS).unref();
  request.once('close', () => clearTimeout(timer));
}

/** Connections whose current request was answered before its body was complete, and how to close each at once. */
const closeNowOf = new WeakMap<Socket, () => void>();

/**
 * Call it when the response of a request begins: until the body of the request has arrived, `destroySoon` closes only the own
 * side of the connection. TCP resets a connection that is closed while data arrives, and the client may lose the response
 * (RFC 9112, section 9.6). `answerBrokenRequest` then sends no second response if the rest of the body is malformed.
 */
export function delayCloseUntilBodyRead(request: IncomingMessage): void {
  if (request.complete) return;
  const { socket } = request;
  const restore = () => Reflect.deleteProperty(socket, 'destroySoon');
  const closeNow = () => {
    restore();
    socket.destroySoon();
  };
  // Node calls it after a response with `Connection: close`.
  socket.destroySoon = () => {
    socket.end();
    dropRestOfBody(request);
  };
  closeNowOf.set(socket, closeNow);
  request.once('close', () => {
    // The next request of the connection may already have taken over.
    if (closeNowOf.get(socket) !== closeNow) return;
    closeNowOf.delete(socket);
    if (socket.writableEnded) closeNow();
    else restore();
  });
}

/** The error response to bytes that Node could not read as a request, or whose headers came too late. */
export const brokenRequestError = (thrown: unknown): ApiError =>
  new ApiError(
    errorCode(thrown) === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? requestErrors.requestTimedOut
      : requestErrors.malformedRequest,
  );

/**
 * Answers a broken request on the bare socket; unless it already has a response, because a client would take a second one
 * for the response to its next request. Returns whether it has answered.
 */
export function answerBrokenRequest(socket: Socket, error: ApiError, requestId: string): boolean {
  const closeNow = closeNowOf.get(socket);
  if (closeNow === undefined) return endConnection(socket, error, requestId);
  closeNow();
  return false;
}

/** Writes an error response to a socket without a response, and closes the socket. Returns whether it was open. */
export function endConnection(socket: Socket, error: ApiError, requestId: string): boolean {
  if (!socket.writable) {
    socket.destroy();
    return false;
  }
  const body = errorBody(error);
  const { status } = error.error;
  const headers = {
    'X-Request-Id': requestId,
    ...neverCache,
    // The path of a malformed request is unknown: it may be below the API.
    ...crossOriginHeaders,
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
  // With `end` alone the client could keep its side open.
  socket.destroySoon();
  return true;
}
