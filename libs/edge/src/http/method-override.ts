import type { FastifyInstance, FastifyRequest, RouteHandlerMethod } from 'fastify';

/** The field of a body that names another method. */
export const METHOD_FIELD = 'method';

const METHODS: ReadonlySet<unknown> = new Set(['GET', 'PUT', 'PATCH', 'DELETE']);
const CARRIES_FIELDS = /^(?:application\/json|application\/x-www-form-urlencoded)\b/i;

/**
 * Lets a form field `method` of a POST stand for the HTTP method, for clients that can send no other:
 * the request goes to that method's route of the same path. Call it before the routes are made.
 */
export function registerMethodOverride(fastify: FastifyInstance): void {
  const handlers = new Map<string, RouteHandlerMethod>();
  fastify.addHook('onRoute', ({ method, url, handler }) => {
    for (const one of [method].flat()) handlers.set(`${one} ${url}`, handler);
  });
  fastify.addHook('preHandler', (request, reply, done) => {
    const method = takeMethod(request);
    if (method === undefined) return done();
    const handler = handlers.get(`${method} ${request.routeOptions.url}`);
    if (handler === undefined) return done();
    // Without `done` the POST's own route is never reached.
    void handler.call(fastify, request, reply);
  });
}

/** Whether the body of a request, which is not read yet, may name another method. */
export const mayNameMethod = ({ method, headers }: FastifyRequest): boolean =>
  method === 'POST' && CARRIES_FIELDS.test(headers['content-type'] ?? '');

/** The method that a form names, which then is no parameter any more. */
function takeMethod(request: FastifyRequest): string | undefined {
  const { body } = request;
  if (request.method !== 'POST' || typeof body !== 'object' || body === null) return undefined;
  if (!(METHOD_FIELD in body) || !METHODS.has(body[METHOD_FIELD])) return undefined;
  const { [METHOD_FIELD]: method, ...rest } = body;
  request.body = rest;
  return String(method);
}
