import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, requestErrors } from '#platform/contracts';
import { endConnection } from './connections.js';
import type { MemoryBudget } from './memory-budget.js';

/** An upload without any data for this time has ended. */
const STALLED_MS = 60_000;

/** The time limit of an upload in one request: an upload that never stalls can still be endless. */
const MAX_UPLOAD_MS = 60 * 60_000;

const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>();

/** The announced length of a body; 0 without a body, undefined for a chunked one. */
export function bodyLengthOf({ headers }: IncomingMessage): number | undefined {
  if (headers['transfer-encoding'] !== undefined) return undefined;
  return Number(headers['content-length'] ?? 0);
}

/** A body of this length, which stays readable; null unless all of it has arrived. */
export function peekBody(request: IncomingMessage, length: number): Buffer | null {
  if (request.readableLength < length) return null;
  const body = request.read(length) as Buffer;
  request.unshift(body);
  return body;
}

/** Answers 408 and closes the connection when the body of a request does not arrive in time. */
export function limitBodyTime(
  { id, raw: request }: FastifyRequest,
  { raw: response }: FastifyReply,
  ms: number,
): void {
  if (bodyLengthOf(request) === 0) return;
  const timer = setTimeout(() => {
    if (request.complete) return;
    if (response.headersSent) return void request.destroy();
    // For the log and the metrics.
    response.statusCode = requestErrors.requestTimedOut.status;
    endConnection(request.socket, new ApiError(requestErrors.requestTimedOut), id);
  }, ms).unref();
  timers.set(request, timer);
  request.once('close', () => clearTimeout(timer));
}

/**
 * Replaces the time limit of the whole body by a limit on pauses and a longer one, because a large file may take long.
 */
export function disconnectWhenStalled(request: IncomingMessage, response: ServerResponse): void {
  clearTimeout(timers.get(request));
  request.setTimeout(STALLED_MS, () => request.destroy());
  const deadline = setTimeout(() => {
    if (!request.complete) request.destroy();
  }, MAX_UPLOAD_MS).unref();
  response.once('close', () => clearTimeout(deadline));
  request.once('end', () => {
    // A response sets its own timeout.
    if (!response.headersSent) request.setTimeout(0);
  });
}

/** Limits the memory of bodies that are being read. */
export class BodyBudget {
  constructor(private readonly memory: MemoryBudget) {}

  /** Reserves the memory for a body until it has been read; throws the ApiError of MemoryBudget. */
  reserve(request: IncomingMessage, limitBytes: number, owner: string): void {
    const bytes = Math.min(bodyLengthOf(request) ?? limitBytes, limitBytes);
    const { socket } = request;
    // After its end there are no events that release the memory.
    if (bytes === 0 || request.destroyed || socket.destroyed) return;
    // Node emits no `close` for a request that was answered before its body failed; its connection closes.
    const refusal = this.memory.reserve(bytes, owner, [request, socket]);
    if (refusal !== null) throw refusal;
  }
}
