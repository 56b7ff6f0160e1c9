import type { OutgoingHttpHeaders } from 'node:http';
import { Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { noteResponse } from './connections.js';
import { errorHeaders, logFailure, toApiError } from './error.filter.js';
import { errorBody, successBody } from './response-body.rules.js';

/**
 * The answer of an endpoint whose requests wait for long. The handler returns at once, and the answer is sent without the
 * hooks of the framework: a waiting request takes less memory, and its answer less time.
 */
export class DeferredAnswer {
  /** `fields` resolves with the fields of a successful response, or rejects like the handler of an endpoint. */
  constructor(readonly fields: Promise<unknown>) {
    // Until `sendDeferred` is called.
    fields.catch(() => undefined);
  }
}

const logger = new Logger(DeferredAnswer.name);

/** Sends an answer once it is there, with the headers that the reply has now. */
export function sendDeferred(
  request: FastifyRequest,
  reply: FastifyReply,
  { fields }: DeferredAnswer,
  sendStallMs: number,
): void {
  reply.hijack();
  const ignored = request.edge?.ignored ?? [];
  fields
    .then((given) => send(reply, 200, {}, { body: successBody(given, ignored), sendStallMs }))
    .catch((thrown: unknown) => {
      const error = toApiError(thrown);
      logFailure(logger, request, thrown, error);
      const { status } = error.error;
      if (reply.raw.headersSent) reply.raw.destroy();
      else send(reply, status, errorHeaders(error), { body: errorBody(error), sendStallMs });
    });
}

function send(
  reply: FastifyReply,
  status: number,
  own: OutgoingHttpHeaders,
  { body, sendStallMs }: { readonly body: string; readonly sendStallMs: number },
): void {
  const { raw, request, server } = reply;
  if (raw.destroyed) return;
  noteResponse(request.raw);
  raw.writeHead(status, {
    // Fastify declares a number for each header; all of these are texts.
    ...(reply.getHeaders() as OutgoingHttpHeaders),
    ...own,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...(server.drain?.isDraining === true ? { connection: 'close' } : {}),
  });
  raw.end(body);
  const { socket } = request.raw;
  // Mostly the system takes the whole answer at once.
  if (socket.writableLength > 0) socket.setTimeout(sendStallMs);
}
