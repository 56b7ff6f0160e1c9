import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  Logger,
} from '@nestjs/common';
import { ApiError } from '#contracts';
import { isDiskFull, isOutage, Sampler } from '#core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorBody } from './envelope.rules.js';
import { BODY_LIMIT_BYTES } from './limits.js';

/**
 * Maps whatever was thrown to an answer, once for all endpoints. What is no ApiError, no complaint of
 * Fastify about the request and no store being away is a defect of ours: logged under the request's id,
 * told to nobody.
 */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    answerThrown(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>(), thrown);
  }
}

const edgeLogger = new Logger(ErrorFilter.name);

/** The same for what is thrown before a request reaches Nest. */
export function answerThrown(request: FastifyRequest, reply: FastifyReply, thrown: unknown): void {
  const error = toApiError(thrown, request.routeOptions.bodyLimit);
  logFailure(edgeLogger, request, thrown, error);
  if (error.errorName === 'notLoggedIn' && isFromBrowser(request)) sendToLogin(request, reply);
  else sendError(reply, error);
}

/** Answers with an error of the catalogue and the headers that go with its status. */
export function sendError(
  reply: FastifyReply,
  error: ApiError,
  body: string = errorBody(error),
): void {
  if (error.error.status === 401) reply.header('WWW-Authenticate', 'Basic realm="zulip"');
  if (error.errorName === 'rateLimited') reply.header('Retry-After', error.fields['retry-after']);
  if (error.errorName === 'temporarilyUnavailable') reply.header('Retry-After', 1);
  void reply
    .status(error.error.status)
    .header('Content-Type', 'application/json')
    // With a serializer of its own, Fastify adds no charset.
    .serializer(String)
    .send(body);
}

/** An outage concerns every request of its time: one line in ten seconds says as much as one for each. */
const outages = new Sampler(10_000);

/** Tells us, and nobody else, of what is a defect of ours, and of a store that is away. */
export function logFailure(
  logger: Logger,
  request: FastifyRequest,
  thrown: unknown,
  error: ApiError,
): void {
  if (error.errorName === 'internal') {
    logger.error(`Request ${request.id} failed`, thrown instanceof Error ? thrown.stack : thrown);
  } else if (error !== thrown && error.errorName === 'temporarilyUnavailable') {
    const count = outages.take();
    if (count === null) return;
    logger.warn(
      `A store is away for ${count} requests since the last entry, as for ${request.id}: ${String(thrown)}`,
    );
  } else if (error !== thrown && error.errorName === 'insufficientStorage') {
    logger.error(`Request ${request.id} found the disk full: ${String(thrown)}`);
  }
}

/** Someone who opens an address of the API in a browser is shown the way to sign in. */
const isFromBrowser = (request: FastifyRequest): boolean =>
  request.headers.accept?.includes('text/html') === true;

function sendToLogin(request: FastifyRequest, reply: FastifyReply): void {
  const [path = ''] = request.url.split('?');
  reply.header('Location', `/login/?next=${encodeURIComponent(path)}`);
  void reply.status(302).send();
}

/** The error of the catalogue that something thrown amounts to. */
export function toApiError(thrown: unknown, bodyLimit = BODY_LIMIT_BYTES): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (isDiskFull(thrown)) return new ApiError('insufficientStorage');
  const status = statusOf(thrown);
  if (status === 404) return new ApiError('notFound');
  if (status === 413) return new ApiError('bodyTooLarge', { limit: bodyLimit });
  if (status !== undefined && status >= 400 && status < 500)
    return new ApiError('malformedRequest');
  return new ApiError(isOutage(thrown) ? 'temporarilyUnavailable' : 'internal');
}

/** The status that Nest or Fastify gave something thrown. */
export function statusOf(thrown: unknown): number | undefined {
  if (thrown instanceof HttpException) return thrown.getStatus();
  if (thrown instanceof Error && 'statusCode' in thrown && typeof thrown.statusCode === 'number') {
    return thrown.statusCode;
  }
  return undefined;
}
