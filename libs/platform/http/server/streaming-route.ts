import type { IncomingMessage, ServerResponse } from 'node:http';
import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  type Access,
  type Authenticator,
  AUTHENTICATOR,
  type ApiError,
  type Caller,
} from '#platform/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { authenticateRequest, confirmAccess } from './authenticate-requests.js';
import { logFailure, sendError, toApiError } from './error.filter.js';
import { fastifyOf } from './configure-edge.js';
import { disconnectWhenStalled } from './request-body.js';

/** A path whose requests and responses belong to another protocol. */
interface StreamingRoute {
  /** This path, and all paths one level below it. */
  readonly path: string;
  readonly access: Access;
  /**
   * Answers an authenticated request. The caller is null for OPTIONS, which browsers send without a sign-in.
   * `confirmSignIn` rejects with ApiError if the sign-in has ended while the body arrived.
   */
  readonly handle: (
    request: IncomingMessage,
    response: ServerResponse,
    caller: Caller | null,
    confirmSignIn: () => Promise<unknown>,
  ) => Promise<void>;
  /** The refusal of a request in the protocol. */
  readonly refusalOf: (error: ApiError, method: string) => ProtocolRefusal;
}

interface ProtocolRefusal {
  readonly status: number;
  /** Undefined for the error body of the API. */
  readonly body: string | undefined;
}

const METHODS = ['DELETE', 'HEAD', 'OPTIONS', 'PATCH', 'POST'];

/**
 * Adds a route that authenticates requests like an endpoint, and then receives the raw request with an unread body, and
 * the raw response.
 */
export async function addStreamingRoute(
  app: NestFastifyApplication,
  route: StreamingRoute,
): Promise<void> {
  const logger = new Logger(addStreamingRoute.name);
  const authenticator = app.get<Authenticator>(AUTHENTICATOR, { strict: false });
  const answerError = (request: FastifyRequest, reply: FastifyReply, thrown: unknown): void => {
    const error = toApiError(thrown);
    logFailure(logger, request, thrown, error);
    if (reply.sent) reply.raw.destroy();
    else sendRefusal(request, reply, error);
  };
  const sendRefusal = (request: FastifyRequest, reply: FastifyReply, error: ApiError): void => {
    const { status, body } = route.refusalOf(error, request.method);
    sendError(reply, error, body, status);
  };
  const onRequest = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (request.method === 'OPTIONS') return;
    await authenticateRequest(authenticator, request, reply, { access: route.access });
  };
  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    try {
      takeOver(request, reply);
      const caller = request.authenticated?.caller ?? null;
      const confirmSignIn = () => confirmAccess(authenticator, request, reply, route.access);
      await route.handle(request.raw, reply.raw, caller, confirmSignIn);
    } catch (thrown) {
      answerError(request, reply, thrown);
    }
  };
  await fastifyOf(app).register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _body, parsed) => parsed(null));
    for (const url of [route.path, `${route.path}/:id`]) {
      scope.route({
        method: METHODS,
        url,
        onRequest,
        errorHandler: (thrown, request, reply) => answerError(request, reply, thrown),
        handler,
      });
    }
    done();
  });
}

/** Passes the response to the protocol, with the headers of every response. */
function takeOver(request: FastifyRequest, reply: FastifyReply): void {
  reply.hijack();
  disconnectWhenStalled(request.raw, reply.raw);
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
}
