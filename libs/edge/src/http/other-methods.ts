import { ApiError } from '#contracts';
import { groupBy } from '#core';
import type { FastifyInstance } from 'fastify';
import type { EndpointDeclaration } from '../endpoint.js';
import { sendError } from './error.filter.js';
import { routePathOf } from './route-path.rules.js';

const ALL_METHODS = ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT'] as const;

/** Answers, on every declared path, OPTIONS with what it allows and every other method with 405. */
export function registerOtherMethods(
  fastify: FastifyInstance,
  declarations: readonly EndpointDeclaration[],
): void {
  const byUrl = groupBy(declarations, routePathOf);
  for (const [url, declared] of byUrl) {
    const methods = new Set<string>(declared.map(({ method }) => method));
    if (methods.has('GET')) methods.add('HEAD');
    const allowed = [...methods].toSorted();
    const allow = allowed.join(', ');
    fastify.route({
      method: 'OPTIONS',
      url,
      handler: (_request, reply) => reply.status(204).header('Allow', allow).send(),
    });
    fastify.route({
      method: ALL_METHODS.filter((method) => !methods.has(method)),
      url,
      handler: (_request, reply) => {
        reply.header('Allow', allow);
        sendError(reply, new ApiError('methodNotAllowed', {}, { allowed_methods: allowed }));
      },
    });
  }
}
