import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  Logger,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { requestErrors } from '#platform/contracts';
import { logFailure, toApiError } from '#platform/http';
import { messagePage, PAGE_HEADERS } from './page/pages.js';

/** Answers errors below /ops: to browsers with a page, to scripts with `{"error": …}`. */
@Catch()
export class OpsErrorFilter implements ExceptionFilter {
  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    sendOpsError(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>(), thrown);
  }
}

const logger = new Logger('Ops');

/** The same, for routes outside Nest. */
export function sendOpsError(request: FastifyRequest, reply: FastifyReply, thrown: unknown): void {
  const { status, message, retryAfter } = refusalOf(request, thrown);
  if (status === 401) reply.header('WWW-Authenticate', 'Bearer realm="ops"');
  if (retryAfter !== undefined) reply.header('Retry-After', retryAfter);
  if (!wantsPage(request)) {
    void reply
      .status(status)
      .type('application/json')
      .send(JSON.stringify({ error: message }));
  } else if (status === 401) {
    void reply.redirect('/ops/sign-in', 303);
  } else {
    void reply.status(status).headers(PAGE_HEADERS).send(messagePage(message));
  }
}

interface OpsRefusal {
  readonly status: number;
  readonly message: string;
  readonly retryAfter?: number;
}

function refusalOf(request: FastifyRequest, thrown: unknown): OpsRefusal {
  if (thrown instanceof HttpException) {
    return { status: thrown.getStatus(), message: messageOf(thrown) };
  }
  const error = toApiError(thrown, request.routeOptions.bodyLimit);
  logFailure(logger, request, thrown, error);
  const { status } = error.error;
  if (error.error === requestErrors.rateLimited) {
    const retryAfter = Math.ceil(Number(error.fields['retry-after']));
    return { status, message: tooManyTries(retryAfter), retryAfter };
  }
  if (error.error === requestErrors.temporarilyUnavailable)
    return { status, message: STORE_DOWN, retryAfter: 1 };
  return { status, message: status < 500 ? error.message : DEFECT };
}

/** A failed validation has a list of messages. */
function messageOf(exception: HttpException): string {
  const response = exception.getResponse();
  if (typeof response === 'string' || !('message' in response)) return exception.message;
  const { message } = response;
  return Array.isArray(message) ? message.join('; ') : String(message);
}

const STORE_DOWN =
  'PostgreSQL or Redis does not answer. /health/ready says which. Try again in a moment.';
const DEFECT = 'The gateway failed; its log says why, under the request id of this answer.';

/** The message of a sign-in that is refused after too many wrong tokens. */
export const tooManyTries = (seconds: number): string =>
  `Too many wrong tokens from this address. Try again in ${Math.ceil(seconds / 60)} minutes.`;

const wantsPage = ({ method, headers }: FastifyRequest): boolean =>
  method === 'GET' && headers.accept?.includes('text/html') === true;
