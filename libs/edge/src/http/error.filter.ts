import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  Logger,
} from '@nestjs/common';
import { ApiError } from '#contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorBody } from './envelope.rules.js';
import { BODY_LIMIT_BYTES } from './limits.js';

/**
 * Maps whatever was thrown to an answer, once for all endpoints. What is no ApiError and no complaint
 * of Fastify about the request is a defect of ours: logged under the request's id, told to nobody.
 */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger(ErrorFilter.name);

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const reply = http.getResponse<FastifyReply>();
    const error = toApiError(thrown);
    if (error.errorName === 'internal') {
      const { id } = http.getRequest<FastifyRequest>();
      this.logger.error(`Request ${id} failed`, thrown instanceof Error ? thrown.stack : thrown);
    }
    sendError(reply, error);
  }
}

/** Answers with an error of the catalogue and the headers that go with its status. */
export function sendError(reply: FastifyReply, error: ApiError): void {
  if (error.error.status === 401) reply.header('WWW-Authenticate', 'Basic realm="zulip"');
  if (error.errorName === 'rateLimited') reply.header('Retry-After', error.fields['retry-after']);
  if (error.errorName === 'temporarilyUnavailable') reply.header('Retry-After', 1);
  void reply
    .status(error.error.status)
    .header('Content-Type', 'application/json')
    .send(errorBody(error));
}

function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  const status = statusOf(thrown);
  if (status === 404) return new ApiError('notFound');
  if (status === 413) return new ApiError('bodyTooLarge', { limit: BODY_LIMIT_BYTES });
  if (status !== undefined && status >= 400 && status < 500)
    return new ApiError('malformedRequest');
  return new ApiError('internal');
}

function statusOf(thrown: unknown): number | undefined {
  if (thrown instanceof HttpException) return thrown.getStatus();
  if (thrown instanceof Error && 'statusCode' in thrown && typeof thrown.statusCode === 'number') {
    return thrown.statusCode;
  }
  return undefined;
}
