import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  Logger,
} from '@nestjs/common';
import { ApiError, requestErrors, signInErrors } from '#platform/contracts';
import { counted, errorText, isDiskFull, isOutage, Sampler } from '#platform/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorBody } from './response-body.rules.js';
import { BODY_LIMIT_BYTES } from './limits.js';

/**
 * Maps everything that an endpoint throws to an error response. Anything but an ApiError, a client error of Fastify or an
 * outage of a store is a defect: it is logged with the request id, and the response does not show it.
 */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    answerThrown(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>(), thrown);
  }
}

const edgeLogger = new Logger(ErrorFilter.name);

/** The same for errors before a request reaches Nest. */
export function answerThrown(request: FastifyRequest, reply: FastifyReply, thrown: unknown): void {
  const error = toApiError(thrown, request.routeOptions.bodyLimit);
  logFailure(edgeLogger, request, thrown, error);
  if (error.error === signInErrors.notLoggedIn && isFromBrowser(request))
    sendToLogin(request, reply);
  else sendError(reply, error);
}

/** Sends an error response with the headers of its status. */
export function sendError(
  reply: FastifyReply,
  error: ApiError,
  body: string = errorBody(error),
  status: number = error.error.status,
): void {
  void reply
    .status(status)
    .headers(errorHeaders(error))
    .header('Content-Type', 'application/json')
    // A serializer prevents the charset that Fastify adds.
    .serializer(String)
    .send(body);
}

/** The headers of an error response that depend on the error. */
export function errorHeaders({ error, fields }: ApiError) {
  // The contract fixes this realm.
  if (error.status === 401) return { 'WWW-Authenticate': 'Basic realm="zulip"' };
  if (error.status === 429) return { 'Retry-After': String(fields['retry-after']) };
  if (error === requestErrors.methodNotAllowed)
    return { Allow: [fields['allowed_methods']].flat().join(', ') };
  if (error === requestErrors.temporarilyUnavailable) return { 'Retry-After': 1 };
  return {};
}

/** An outage affects every request: one log line in ten seconds is enough. */
const outages = new Sampler(10_000);

/** Logs defects, outages of a store and a full disk. */
export function logFailure(
  logger: Logger,
  request: Pick<FastifyRequest, 'id'>,
  thrown: unknown,
  error: ApiError,
): void {
  if (error.error === requestErrors.internal) {
    logger.error(
      { message: `A request failed: ${errorText(thrown)}`, request_id: request.id },
      thrown,
    );
  } else if (error !== thrown && error.error === requestErrors.temporarilyUnavailable) {
    const count = outages.take();
    if (count === null) return;
    const message = `A store failed for ${counted(count, 'request')} since the last entry: ${errorText(thrown)}`;
    logger.warn({ message, request_id: request.id });
  } else if (error !== thrown && error.error === requestErrors.insufficientStorage) {
    const message = `A request found the disk full: ${errorText(thrown)}`;
    logger.error({ message, request_id: request.id });
  }
}

/** A browser is redirected to the login page. */
const isFromBrowser = (request: FastifyRequest): boolean =>
  request.headers.accept?.includes('text/html') === true;

function sendToLogin(request: FastifyRequest, reply: FastifyReply): void {
  const [path = ''] = request.url.split('?');
  reply.header('Location', `/login/?next=${encodeURIComponent(path)}`);
  void reply.status(302).send();
}

/** The ApiError for any thrown value. */
export function toApiError(thrown: unknown, bodyLimit = BODY_LIMIT_BYTES): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (isDiskFull(thrown)) return new ApiError(requestErrors.insufficientStorage);
  const status = statusOf(thrown);
  if (status === 404) return new ApiError(requestErrors.notFound);
  if (status === 415) return new ApiError(requestErrors.unsupportedMediaType);
  if (status === 413) return new ApiError(requestErrors.bodyTooLarge, { limit: bodyLimit });
  if (status !== undefined && status >= 400 && status < 500)
    return new ApiError(requestErrors.malformedRequest);
  return new ApiError(
    isOutage(thrown) ? requestErrors.temporarilyUnavailable : requestErrors.internal,
  );
}

/** The status of an error of Nest or Fastify. */
export function statusOf(thrown: unknown): number | undefined {
  if (thrown instanceof HttpException) return thrown.getStatus();
  if (thrown instanceof Error && 'statusCode' in thrown && typeof thrown.statusCode === 'number') {
    return thrown.statusCode;
  }
  return undefined;
}
