import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener } from 'node:http';
import { Readable } from 'node:stream';
import { callbackify } from 'node:util';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  ApiError,
  type Authenticator,
  AUTHENTICATOR,
  type RemoteAuthenticator,
  REMOTE_AUTHENTICATOR,
  requestErrors,
} from '#platform/contracts';
import type { Drain } from '#platform/core';
import { isBelowApi } from '../endpoint.js';
import { chargeSize, registerAuthentication, RequestAdmission } from './authenticate-requests.js';
import { registerBodyParsers } from './body-parsers.js';
import {
  answerBrokenRequest,
  boundedServers,
  brokenRequestError,
  type ConnectionLimits,
  defaultConnectionLimits,
  dropRestOfBody,
  hasOneHost,
  neverCache,
  delayCloseUntilBodyRead,
} from './connections.js';
import { crossOriginHeaders } from './cross-origin-headers.js';
import { brokenRequest, endedRequest } from './ended-requests.js';
import { endpointsOfApp } from './endpoint.decorator.js';
import { HijackedAnswer, JSON_TYPE, hijack } from './hijacked-answer.js';
import { DirectRoutes } from './direct-routes.js';
import { errorHeaders, sendError } from './error.filter.js';
import { BODY_LIMIT_BYTES, PATH_PART_LIMIT } from './limits.js';
import { registerMethodOverride, registerOtherMethods, routeNotFound } from './methods.js';
import { limitBodyTime } from './request-body.js';
import {
  errorBody,
  CompressedResponse,
  isPlainAnswer,
  JsonText,
  successBody,
} from './response-body.rules.js';
import { ownerOf } from './request-owner.js';
import { LARGE_RESPONSE_BYTES, responseBudget } from './response-budget.js';
import { SharedAnswer } from './shared-text.js';
import { isLargeJson, JsonBytes, jsonInSlices } from './sliced-json.js';

/** The id of a request that a proxy may set; anything else is replaced. */
const REQUEST_ID = /^[\w.-]{1,128}$/;

const refuseSchema = (): never => {
  throw new Error('Declare parameters with `endpoint`, not with a schema of Fastify');
};

/** Keeps Fastify from loading its schema compilers, a hundred modules: the declarations of endpoints replace them. */
const withoutSchemas = {
  compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema },
};

/** The HTTP server of the edge, with request ids, connection limits, and JSON errors for requests without a route. */
export function createEdgeAdapter(
  trustedProxies: readonly string[],
  limits: ConnectionLimits = defaultConnectionLimits,
): FastifyAdapter {
  const directRoutes = new DirectRoutes();
  const createServer = boundedServers(limits, trustedProxies);
  const adapter: FastifyAdapter = new FastifyAdapter({
    serverFactory: (framework: RequestListener) => createServer(directRoutes.before(framework)),
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    bodyLimit: BODY_LIMIT_BYTES,
    routerOptions: { maxParamLength: PATH_PART_LIMIT },
    schemaController: withoutSchemas,
    genReqId: requestIdOf,
    frameworkErrors: (_error: unknown, request: FastifyRequest, reply: FastifyReply) => {
      addCommonHeaders(request, reply);
      // No hook runs for these requests.
      delayCloseUntilBodyRead(request.raw);
      dropRestOfBody(request.raw);
      const { onRequestEnded } = request.server;
      if (onRequestEnded !== undefined)
        reply.raw.once('close', () => onRequestEnded(endedRequest(request, reply)));
      sendError(reply, new ApiError(requestErrors.malformedRequest));
    },
    clientErrorHandler: (thrown, socket) => {
      const error = brokenRequestError(thrown);
      const id = randomUUID();
      if (answerBrokenRequest(socket, error, id))
        instanceOf(adapter).onRequestEnded?.(brokenRequest(id, error.error.status));
    },
    // Requests on open connections are still answered during the close; then the connection ends.
    return503OnClosing: false,
  });
  adapter.getInstance().decorate('directRoutes', directRoutes);
  return adapter;
}

/** The id of a request: that of a proxy, or a new one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

/**
 * Adds the envelope, headers, body parsers and methods of the contract to all endpoints of the application. Nest
 * registers their routes when it begins to listen, so each hook here sees all of them.
 */
export async function serveEndpoints(
  app: NestFastifyApplication,
  limits: ConnectionLimits,
): Promise<void> {
  const fastify = fastifyOf(app);
  const declarations = endpointsOfApp(app);
  const admission = new RequestAdmission({
    accounts: () => app.get<Authenticator>(AUTHENTICATOR, { strict: false }),
    servers: () => app.get<RemoteAuthenticator>(REMOTE_AUTHENTICATOR, { strict: false }),
  });
  fastify.decorateRequest('authenticated', null);
  fastify.decorateRequest('endpoint', null);
  fastify.decorateRequest('fileStatus', null);
  fastify.addHook('onRequest', (request, reply, done) => {
    addCommonHeaders(request, reply);
    // Without reading the body.
    if (!hasOneHost(request.raw))
      return sendError(reply, new ApiError(requestErrors.malformedRequest));
    if (request.is404) return answerUnknownPath(request, reply);
    limitBodyTime(request, reply, limits.bodyMs);
    done();
  });
  // The sign-in precedes the reading of the body.
  registerAuthentication(fastify, declarations, admission);
  await registerBodyParsers(fastify, declarations);
  registerMethodOverride(fastify, declarations);
  fastify.addHook('preSerialization', (request, reply, payload, done) => {
    if (payload instanceof HijackedAnswer) {
      hijack(request, reply, payload, limits.sendStallMs);
    } else {
      wrapInEnvelope(admission, { request, reply, payload }, done);
    }
  });
  fastify.addHook('onSend', (request, reply, payload, done) => {
    if (request.fileStatus !== null && reply.statusCode === 200) reply.status(request.fileStatus);
    delayCloseUntilBodyRead(request.raw);
    // After the response, the keep-alive timeout replaces this timeout.
    request.raw.socket.setTimeout(limits.sendStallMs);
    done(null, limitedResponse(request, reply, payload));
  });
  fastify.addHook('onResponse', (request, _reply, done) => {
    dropRestOfBody(request.raw);
    // This response began before the drain, without `Connection: close`: the connection would delay the stop until its
    // timeout.
    if (!fastify.server.listening) request.raw.socket.destroySoon();
    done();
  });
  fastify.setReplySerializer((payload) =>
    typeof payload === 'string' || Buffer.isBuffer(payload) || payload instanceof JsonBytes
      ? // Fastify accepts the first two, and `limitedResponse` makes them of the third; its type allows strings only.
        (payload as string)
      : JSON.stringify(payload),
  );
  registerOtherMethods(fastify, declarations, admission);
}

/** A preflight request succeeds: a page of another origin can read the error of the request itself only then. */
function answerUnknownPath(request: FastifyRequest, reply: FastifyReply): void {
  if (request.method === 'OPTIONS' && isBelowApi(request.url)) void reply.status(204).send();
  else sendError(reply, routeNotFound(request));
}

/** Sets the headers of every response. */
function addCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('X-Request-Id', request.id);
  reply.headers(neverCache);
  // The router also accepts other spellings of a path, such as percent-encoded letters.
  if (isBelowApi(request.routeOptions.url ?? request.url)) reply.headers(crossOriginHeaders);
}

interface Answer {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly payload: unknown;
}

/** A large answer is made in time slices, and charged by its size. */
function wrapInEnvelope(
  admission: RequestAdmission,
  answer: Answer,
  done: (error: Error | null, payload?: unknown) => void,
): void {
  const { request, reply, payload } = answer;
  if (request.endpoint === null) return done(null, payload);
  reply.header('Content-Type', JSON_TYPE);
  const isSmall = isPlainAnswer(payload)
    ? !isLargeJson(payload)
    : payload instanceof JsonText && payload.text.length < LARGE_RESPONSE_BYTES;
  if (isSmall) {
    return done(null, successBody(payload, request.endpoint.ignored));
  }
  largeBody(admission, answer, request.endpoint.ignored, done);
}

const largeBody = callbackify(makeLargeBody);

async function makeLargeBody(
  admission: RequestAdmission,
  { request, reply, payload }: Answer,
  ignored: readonly string[],
): Promise<string | Buffer | JsonBytes> {
  if (payload instanceof CompressedResponse) {
    reply.header('Content-Encoding', payload.encoding);
    await chargeSize(admission, request, reply, payload.plainBytes);
    return payload.body;
  }
  const fields = isPlainAnswer(payload) ? await jsonInSlices(payload) : payload;
  const body = fields instanceof SharedAnswer ? fields.body(ignored) : successBody(fields, ignored);
  await chargeSize(admission, request, reply, body.length);
  return body;
}

/** The body of a response; that of an error instead of a large one for which there is no memory. */
function limitedResponse(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  const isInParts = payload instanceof JsonBytes;
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload) && !isInParts) return payload;
  const shared = isInParts ? payload.shared : [];
  const refusal =
    payload.length < LARGE_RESPONSE_BYTES
      ? null
      : responseBudget.reserve(reply.raw, payload.length, ownerOf(request), shared);
  if (refusal === null) return isInParts ? inParts(reply, payload) : payload;
  reply.status(refusal.error.status).headers(errorHeaders(refusal));
  reply.header('Content-Type', JSON_TYPE).removeHeader('Content-Encoding');
  return errorBody(refusal);
}

/** A body as a stream of its parts: joining many megabytes would hold the event loop and take their memory twice. */
function inParts(reply: FastifyReply, { parts, length }: JsonBytes): Readable {
  reply.header('Content-Length', length);
  return Readable.from(parts);
}

/** Sends `Connection: close` with each response while the server drains. */
export function closeWhileDraining(fastify: FastifyInstance, drain: Drain): void {
  // For answers that no hook sees.
  fastify.decorate('drain', drain);
  // Streaming routes copy the headers at the start of the request.
  fastify.addHook('onRequest', (_request, reply, done) => {
    if (drain.isDraining) reply.header('Connection', 'close');
    done();
  });
  // Requests that began before the drain.
  fastify.addHook('onSend', (_request, reply, payload, done) => {
    if (drain.isDraining) reply.header('Connection', 'close');
    done(null, payload);
  });
}

/** The Fastify server of an application with an adapter of `createEdgeAdapter`. */
export const fastifyOf = (app: NestFastifyApplication): FastifyInstance =>
  instanceOf(app.getHttpAdapter());

const instanceOf = (adapter: { getInstance(): unknown }): FastifyInstance =>
  // The type of Nest covers all HTTP versions; the adapter uses HTTP/1.1.
  adapter.getInstance() as FastifyInstance;
