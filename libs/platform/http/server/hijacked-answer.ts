import type { IncomingMessage, ServerResponse } from 'node:http';
import { Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Drain } from '#platform/core';
import { delayCloseUntilBodyRead } from './connections.js';
import { errorHeaders, logFailure, toApiError } from './error.filter.js';
import { ownerOf } from './request-owner.js';
import { LARGE_RESPONSE_BYTES, responseBudget } from './response-budget.js';
import { errorBody, CompressedResponse, successBody } from './response-body.rules.js';
import { JsonBytes } from './sliced-json.js';

/**
 * The answer of an endpoint whose requests wait for long. The handler returns at once, the request is hijacked, and the
 * answer is sent without the hooks of the framework: a waiting request takes less memory, and its answer less time.
 */
export class HijackedAnswer {
  /** `fields` resolves with the fields of a successful response, or rejects like the handler of an endpoint. */
  constructor(readonly fields: Promise<unknown>) {
    // Until `hijack` is called.
    fields.catch(() => undefined);
  }
}

/** A response that is sent without the framework. */
export interface HijackedResponse {
  /** The id of the request. */
  readonly id: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly ignored: readonly string[];
  readonly drain: Drain | undefined;
  readonly sendStallMs: number;
  /** The account or the address that the response is for. */
  readonly owner: string;
}

export const JSON_TYPE = 'application/json';

const logger = new Logger(HijackedAnswer.name);

/** Takes a request from the framework, and sends its answer once it is there, with the headers that the reply has now. */
export function hijack(
  request: FastifyRequest,
  reply: FastifyReply,
  { fields }: HijackedAnswer,
  sendStallMs: number,
): void {
  reply.hijack();
  const hijacked: HijackedResponse = {
    id: request.id,
    request: request.raw,
    response: reply.raw,
    headers: Object.entries({ ...reply.getHeaders(), 'content-type': JSON_TYPE })
      // `send` adds it to all responses during a drain.
      .filter(([name]) => name !== 'connection')
      .flatMap(([name, value]) => [name, String(value)]),
    ignored: request.endpoint?.ignored ?? [],
    drain: reply.server.drain,
    sendStallMs,
    owner: ownerOf(request),
  };
  void sendHijacked(hijacked, fields);
}

/** Sends a response with these fields once they are there, or the error of their rejection. Never rejects. */
export async function sendHijacked(
  hijacked: HijackedResponse,
  fields: Promise<unknown>,
): Promise<void> {
  try {
    const answer = await fields;
    if (answer instanceof CompressedResponse)
      send(hijacked, 200, answer.body, { 'content-encoding': answer.encoding });
    else send(hijacked, 200, successBody(answer, hijacked.ignored));
  } catch (thrown) {
    const error = toApiError(thrown);
    logFailure(logger, hijacked, thrown, error);
    if (hijacked.response.headersSent) hijacked.response.destroy();
    else send(hijacked, error.error.status, errorBody(error), errorHeaders(error));
  }
}

function send(
  hijacked: HijackedResponse,
  status: number,
  body: string | Buffer | JsonBytes,
  own: Readonly<Record<string, string | number>> = {},
): void {
  const { request, response, headers, drain, sendStallMs } = hijacked;
  if (response.destroyed) return;
  if (body.length >= LARGE_RESPONSE_BYTES) {
    const refusal = responseBudget.reserve(response, body.length, hijacked.owner);
    if (refusal !== null)
      return send(hijacked, refusal.error.status, errorBody(refusal), errorHeaders(refusal));
  }
  delayCloseUntilBodyRead(request);
  const all = [...headers, 'content-length', String(bytesOf(body))];
  for (const [name, value] of Object.entries(own)) all.push(name, String(value));
  if (drain?.isDraining === true) all.push('connection', 'close');
  response.writeHead(status, all);
  if (body instanceof JsonBytes) {
    for (const part of body.parts) response.write(part);
    response.end();
  } else response.end(body);
  const { socket } = request;
  // Mostly the system takes the whole answer at once.
  if (socket.writableLength > 0) socket.setTimeout(sendStallMs);
}

const bytesOf = (body: string | Buffer | JsonBytes): number =>
  body instanceof JsonBytes ? body.length : Buffer.byteLength(body);
