import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Type } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { ApiError } from '#contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { endpointsOf } from './endpoints-of.js';
import { registerBodyParsers } from './body-parsers.js';
import { errorBody, successBody } from './envelope.rules.js';
import { sendError } from './error.filter.js';
import { FinishedResponse } from './finished-response.js';
import { fastifyOf } from './fastify-of.js';
import { BODY_LIMIT_BYTES, PATH_PART_LIMIT } from './limits.js';
import { registerMethodOverride } from './method-override.js';
import { registerOtherMethods } from './other-methods.js';

/** No answer of the API is to be kept by anyone on the way. */
const neverCache = {
  Expires: 'Thu, 01 Jan 1970 00:00:00 GMT',
  'Cache-Control': 'max-age=0, no-cache, no-store, must-revalidate, private',
} as const;

/** An id that a proxy in front gave a request is kept, as long as it can stand in a log. */
const REQUEST_ID = /^[\w.-]{1,128}$/;

/** The HTTP server under the edge: request ids, limits, and JSON for what never reaches a route. */
export function createEdgeAdapter(trustedProxies: readonly string[]): FastifyAdapter {
  return new FastifyAdapter({
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    bodyLimit: BODY_LIMIT_BYTES,
    routerOptions: { maxParamLength: PATH_PART_LIMIT },
    genReqId: (request: IncomingMessage) => {
      const given = request.headers['x-request-id'];
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
    },
    frameworkErrors: (_error: unknown, request: FastifyRequest, reply: FastifyReply) => {
      addStandingHeaders(request, reply);
      sendError(reply, new ApiError('malformedRequest'));
    },
    clientErrorHandler: answerBrokenRequest,
    // What still comes on an open connection while the server closes is answered as always, and the connection ends.
    return503OnClosing: false,
  });
}

/**
 * Gives an application the contract's envelope, headers, bodies and methods for all endpoints of the
 * controllers. Make the application with `bodyParser: false`, and call this before it listens.
 */
export async function configureEdge(
  app: NestFastifyApplication,
  controllers: readonly Type[],
): Promise<void> {
  const fastify = fastifyOf(app);
  await registerBodyParsers(fastify, BODY_LIMIT_BYTES);
  fastify.decorateRequest('edge', null);
  fastify.decorateRequest('fileStatus', null);
  fastify.addHook('onRequest', (request, reply, done) => {
    addStandingHeaders(request, reply);
    done();
  });
  registerMethodOverride(fastify);
  fastify.addHook('preSerialization', envelop);
  fastify.addHook('onSend', (request, reply, payload, done) => {
    if (request.fileStatus !== null && reply.statusCode === 200) reply.status(request.fileStatus);
    done(null, payload);
  });
  fastify.addHook('onResponse', (request, _reply, done) => {
    // A connection whose answer was begun before the stop could not be told to end: it would hold the stop up until
    // it timed out.
    if (!fastify.server.listening) request.raw.socket.destroySoon();
    done();
  });
  fastify.setReplySerializer((payload) =>
    typeof payload === 'string' || Buffer.isBuffer(payload)
      ? // Fastify takes either; its type knows of texts only.
        (payload as string)
      : JSON.stringify(payload),
  );
  registerOtherMethods(fastify, endpointsOf(controllers));
}

/** The headers of every answer. */
function addStandingHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('X-Request-Id', request.id);
  reply.headers(neverCache);
}

function envelop(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error: null, payload: unknown) => void,
): void {
  if (request.edge === null) return done(null, payload);
  reply.header('Content-Type', 'application/json');
  if (payload instanceof FinishedResponse) {
    reply.header('Content-Encoding', payload.encoding);
    return done(null, payload.body);
  }
  done(null, successBody(payload, request.edge.ignored));
}

/** A request that is not HTTP, or not in time, is answered on the bare socket and cut off. */
function answerBrokenRequest(_error: Error, socket: Socket): void {
  if (!socket.writable) return;
  const body = errorBody(new ApiError('malformedRequest'));
  const headers = {
    ...neverCache,
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 400 Bad Request\r\n${lines.join('')}\r\n${body}`);
}
