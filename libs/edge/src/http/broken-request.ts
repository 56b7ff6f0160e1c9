import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError } from '#contracts';
import { errorBody } from './envelope.rules.js';

/** No answer of the API is to be kept by anyone on the way. */
export const neverCache = {
  Expires: 'Thu, 01 Jan 1970 00:00:00 GMT',
  'Cache-Control': 'max-age=0, no-cache, no-store, must-revalidate, private',
} as const;

/** Connections whose present request was answered before its body had come. */
const answered = new WeakSet<Socket>();

/** Remembers that the response to a request begins, in case its body turns out to be broken. */
export function noteResponse(request: IncomingMessage): void {
  if (request.complete) return;
  const { socket } = request;
  answered.add(socket);
  request.once('close', () => answered.delete(socket));
}

/**
 * A request that is not HTTP, or whose headers did not come in time, is answered on the bare socket, unless it has
 * a response already: a client would take a second one for that of its next request.
 */
export function answerBrokenRequest(_error: Error, socket: Socket): void {
  if (answered.has(socket)) socket.destroySoon();
  else endConnection(socket, new ApiError('malformedRequest'));
}

/** Writes an error as a response to a socket that no response has been begun on, and closes it. */
export function endConnection(socket: Socket, error: ApiError): void {
  if (!socket.writable) return void socket.destroy();
  const body = errorBody(error);
  const { status } = error.error;
  const headers = {
    ...neverCache,
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
  // Not `end` alone: the client could keep its side open for as long as it likes.
  socket.destroySoon();
}
