import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '#contracts';
import { endConnection } from './broken-request.js';

/** No network is so slow that nothing of a file comes for so long. */
const STALLED_MS = 60_000;

/** The rest of a body is read and dropped for so long after its response, so that the client sees the response. */
const REST_MS = 2000;

/** What the bodies that are being read may take of memory together. One account's calls cannot fill it. */
const MAX_BODIES_BYTES = 256 * 1_048_576;

const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>();

/** The announced length of a body; 0 for none, undefined for one that comes in chunks. */
export function bodyLengthOf({ headers }: IncomingMessage): number | undefined {
  if (headers['transfer-encoding'] !== undefined) return undefined;
  return Number(headers['content-length'] ?? 0);
}

/** Answers 408 and closes the connection when the body of a request is not there in time. */
export function limitBodyTime(
  request: IncomingMessage,
  response: ServerResponse,
  ms: number,
): void {
  if (bodyLengthOf(request) === 0) return;
  const timer = setTimeout(() => {
    if (request.complete) return;
    if (response.headersSent) request.destroy();
    else endConnection(request.socket, new ApiError('requestTimedOut'));
  }, ms).unref();
  timers.set(request, timer);
  request.once('close', () => clearTimeout(timer));
}

/**
 * Ends the connection of a request whose body stops coming, in place of the limit on its whole time: a large
 * file may take long.
 */
export function cutOffWhenStalled(request: IncomingMessage, response: ServerResponse): void {
  clearTimeout(timers.get(request));
  request.setTimeout(STALLED_MS, () => request.destroy());
  request.once('end', () => {
    // A response sets a time of its own.
    if (!response.headersSent) request.setTimeout(0);
  });
}

/** Closes the connection of a request that was answered before its body was there, unless the rest comes soon. */
export function dropRestOfBody(request: IncomingMessage): void {
  if (request.complete) return;
  const timer = setTimeout(() => request.socket.destroy(), REST_MS).unref();
  request.once('close', () => clearTimeout(timer));
}

/** Bounds the memory of all bodies that are being read. */
export class BodyBudget {
  #usedBytes = 0;

  constructor(private readonly maxBytes = MAX_BODIES_BYTES) {}

  /** Reserves the memory for a body until it has been read; throws ApiError `temporarilyUnavailable`. */
  reserve(request: IncomingMessage, limitBytes: number): void {
    const bytes = Math.min(bodyLengthOf(request) ?? limitBytes, limitBytes);
    const { socket } = request;
    // It may have ended during the sign-in, and then ends no more.
    if (bytes === 0 || request.destroyed || socket.destroyed) return;
    if (this.#usedBytes + bytes > this.maxBytes) throw new ApiError('temporarilyUnavailable');
    this.#usedBytes += bytes;
    // Node does not close a request that was answered before its body broke: its connection ends all the same.
    const release = () => {
      request.off('close', release);
      socket.off('close', release);
      this.#usedBytes -= bytes;
    };
    request.once('close', release);
    socket.once('close', release);
  }
}
