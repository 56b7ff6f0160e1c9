import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Type } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Admission, ADMISSION, ApiError } from '#contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Admitter, registerAdmission } from './admit-requests.js';
import { registerBodyParsers } from './body-parsers.js';
import { answerBrokenRequest, neverCache, noteResponse } from './broken-request.js';
import { boundedServers, type ConnectionLimits, defaultConnectionLimits } from './connections.js';
import { endpointsOf } from './endpoints-of.js';
import { successBody } from './envelope.rules.js';
import { sendError } from './error.filter.js';
import { FinishedResponse } from './finished-response.js';
import { fastifyOf } from './fastify-of.js';
import { BODY_LIMIT_BYTES, PATH_PART_LIMIT } from './limits.js';
import { registerMethodOverride } from './method-override.js';
import { registerOtherMethods } from './other-methods.js';
import { dropRestOfBody, limitBodyTime } from './request-body.js';

/** An id that a proxy in front gave a request is kept, as long as it can stand in a log. */
const REQUEST_ID = /^[\w.-]{1,128}$/;

/** The HTTP server under the edge: request ids, limits, and JSON for what never reaches a route. */
export function createEdgeAdapter(
  trustedProxies: readonly string[],
  limits: ConnectionLimits = defaultConnectionLimits,
): FastifyAdapter {
  return new FastifyAdapter({
    serverFactory: boundedServers(limits, trustedProxies),
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    bodyLimit: BODY_LIMIT_BYTES,
    routerOptions: { maxParamLength: PATH_PART_LIMIT },
    genReqId: (request: IncomingMessage) => {
      const given = request.headers['x-request-id'];
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
    },
    frameworkErrors: (_error: unknown, request: FastifyRequest, reply: FastifyReply) => {
      addStandingHeaders(request, reply);
      // No hook runs for such a request.
      noteResponse(request.raw);
      dropRestOfBody(request.raw);
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
  limits: ConnectionLimits = defaultConnectionLimits,
): Promise<void> {
  const fastify = fastifyOf(app);
  const declarations = endpointsOf(controllers);
  const admitter = new Admitter(() => app.get<Admission>(ADMISSION, { strict: false }));
  fastify.decorateRequest('admitted', null);
  fastify.decorateRequest('edge', null);
  fastify.decorateRequest('fileStatus', null);
  fastify.addHook('onRequest', (request, reply, done) => {
    addStandingHeaders(request, reply);
    // Nothing of its body is read.
    if (request.is404) return sendError(reply, new ApiError('notFound'));
    limitBodyTime(request.raw, reply.raw, limits.bodyMs);
    done();
  });
  registerAdmission(fastify, declarations, admitter);
  await registerBodyParsers(fastify, declarations);
  registerMethodOverride(fastify);
  fastify.addHook('preSerialization', envelop);
  fastify.addHook('onSend', (request, reply, payload, done) => {
    if (request.fileStatus !== null && reply.statusCode === 200) reply.status(request.fileStatus);
    noteResponse(request.raw);
    // Until the response is out, when the time of an idle connection takes its place.
    request.raw.socket.setTimeout(limits.sendStallMs);
    done(null, payload);
  });
  fastify.addHook('onResponse', (request, _reply, done) => {
    dropRestOfBody(request.raw);
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
  registerOtherMethods(fastify, declarations, admitter);
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
