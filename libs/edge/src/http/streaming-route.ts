import type { IncomingMessage, ServerResponse } from 'node:http';
import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Access, type Admission, ADMISSION, ApiError, type Caller } from '#contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { admitRequest } from './admit-requests.js';
import { logFailure, sendError, statusOf, toApiError } from './error.filter.js';
import { fastifyOf } from './fastify-of.js';
import { cutOffWhenStalled } from './request-body.js';

/** A path whose requests belong, body and answer, to a protocol of their own. */
export interface StreamingRoute {
  /** This path, and all paths one step below it. */
  readonly path: string;
  readonly access: Access;
  /**
   * Answers a request that was let in. The caller is null for OPTIONS, which browsers send without a
   * sign-in.
   */
  readonly handle: (
    request: IncomingMessage,
    response: ServerResponse,
    caller: Caller | null,
  ) => Promise<void>;
  /** The protocol's body for a request that is not let in; undefined for the API's own. */
  readonly refusalBody: (error: ApiError) => string | undefined;
}

const METHODS = ['DELETE', 'HEAD', 'OPTIONS', 'PATCH', 'POST'];

/**
 * Adds a route that is let in as an endpoint is, and then has the bare request, its body unread, and
 * the bare response. Call it before the application listens.
 */
export async function addStreamingRoute(
  app: NestFastifyApplication,
  route: StreamingRoute,
): Promise<void> {
  const logger = new Logger(addStreamingRoute.name);
  const admission = app.get<Admission>(ADMISSION, { strict: false });
  const answerError = (request: FastifyRequest, reply: FastifyReply, thrown: unknown): void => {
    const error =
      statusOf(thrown) === 415 ? new ApiError('unsupportedMediaType') : toApiError(thrown);
    logFailure(logger, request, thrown, error);
    if (reply.sent) reply.raw.destroy();
    else sendError(reply, error, route.refusalBody(error));
  };
  const onRequest = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (request.method === 'OPTIONS') return;
    await admitRequest(admission, request, reply, { access: route.access });
  };
  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    try {
      takeOver(request, reply);
      await route.handle(request.raw, reply.raw, request.admitted?.caller ?? null);
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

/** From here on the answer is the protocol's, with the headers that every answer has. */
function takeOver(request: FastifyRequest, reply: FastifyReply): void {
  reply.hijack();
  cutOffWhenStalled(request.raw, reply.raw);
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
}
