import type { FastifyInstance, FastifyRequest, RouteHandlerMethod } from 'fastify';

const METHODS: ReadonlySet<unknown> = new Set(['GET', 'PUT', 'PATCH', 'DELETE']);

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

/** The method that a form names, which then is no parameter any more. */
function takeMethod(request: FastifyRequest): string | undefined {
  const { body } = request;
  if (request.method !== 'POST' || typeof body !== 'object' || body === null) return undefined;
  if (!('method' in body) || !METHODS.has(body.method)) return undefined;
  const { method, ...rest } = body;
  request.body = rest;
  return String(method);
}
