import type { FastifyInstance } from 'fastify';
import { ApiError, requestErrors } from '#platform/contracts';
import { sendError } from '#platform/http';

/**
 * Refuses requests while the database lacks the schema of this release: statements would fail as if they were defects.
 * Health checks are answered, and OPTIONS, so that pages of other origins can read the refusal.
 */
export function refuseWithoutSchema(fastify: FastifyInstance, hasSchema: () => boolean): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (hasSchema() || request.method === 'OPTIONS' || request.url.startsWith('/health/')) done();
    else sendError(reply, new ApiError(requestErrors.temporarilyUnavailable));
  });
}
