import type { FastifyInstance, FastifyReply } from 'fastify';
import { ApiError, requestErrors } from '#platform/contracts';
import { cachedCall } from '#platform/core';
import type { DatabaseHealth } from '#platform/database';
import { sendError } from '#platform/http';

/**
 * Refuses requests while the database lacks the schema of this release: statements would fail as if they were defects. The
 * first requests wait for the first check. Health checks are answered, and OPTIONS, so that pages of other origins can
 * read the refusal.
 */
export function refuseWithoutSchema(
  fastify: FastifyInstance,
  { hasSchema, schema }: Pick<DatabaseHealth, 'hasSchema' | 'schema'>,
): void {
  // Requests that wait at the same time share a check.
  const check = cachedCall({ forMs: 0, costFactor: 0 }, async () => schema.check());
  const waitForCheck = async (reply: FastifyReply, done: () => void): Promise<void> => {
    try {
      await check();
    } catch {
      sendError(reply, new ApiError(requestErrors.temporarilyUnavailable));
      return;
    }
    done();
  };
  fastify.addHook('onRequest', (request, reply, done) => {
    if (hasSchema() || request.method === 'OPTIONS' || request.url.startsWith('/health/')) done();
    else void waitForCheck(reply, done);
  });
}
