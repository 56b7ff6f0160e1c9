import { ApiError } from '#contracts';
import { groupBy } from '#core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { EndpointDeclaration } from '../endpoint.js';
import type { Admitter } from './admit-requests.js';
import { sendError } from './error.filter.js';
import { ANONYMOUS_BODY_LIMIT_BYTES, BODY_LIMIT_BYTES } from './limits.js';
import { mayNameMethod } from './method-override.js';
import { bodyLengthOf } from './request-body.js';
import { routePathOf } from './route-path.rules.js';

const ALL_METHODS = ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT'] as const;

/**
 * Answers, on every declared path, OPTIONS with what it allows and every other method with 405. The body is not
 * read, except that of a POST which may name a method that the path has: with credentials these are checked
 * first, without them the body must be small.
 */
export function registerOtherMethods(
  fastify: FastifyInstance,
  declarations: readonly EndpointDeclaration[],
  admitter: Admitter,
): void {
  const byUrl = groupBy(declarations, routePathOf);
  for (const [url, declared] of byUrl) {
    const methods = new Set<string>(declared.map(({ method }) => method));
    if (methods.has('GET')) methods.add('HEAD');
    const allowed = [...methods].toSorted();
    const allow = allowed.join(', ');
    const refuse = (_request: FastifyRequest, reply: FastifyReply): FastifyReply => {
      reply.header('Allow', allow);
      sendError(reply, new ApiError('methodNotAllowed', {}, { allowed_methods: allowed }));
      return reply;
    };
    const tellMethods = (_request: FastifyRequest, reply: FastifyReply): FastifyReply =>
      reply.status(204).header('Allow', allow).send();
    fastify.route({
      method: 'OPTIONS',
      url,
      onRequest: async (request, reply) => tellMethods(request, reply),
      handler: tellMethods,
    });
    fastify.route({
      method: ALL_METHODS.filter((method) => !methods.has(method)),
      url,
      bodyLimit: BODY_LIMIT_BYTES,
      onRequest: async (request, reply) => {
        if (!mayNameMethod(request)) return refuse(request, reply);
        if (request.headers.authorization !== undefined) {
          await admitter.admit(request, reply, 'user');
          admitter.admitBody(request, BODY_LIMIT_BYTES);
        } else if ((bodyLengthOf(request.raw) ?? Infinity) > ANONYMOUS_BODY_LIMIT_BYTES) {
          return refuse(request, reply);
        }
        return undefined;
      },
      handler: refuse,
    });
  }
}
