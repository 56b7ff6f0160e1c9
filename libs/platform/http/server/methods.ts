import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { ApiError, isForServers, requestErrors } from '#platform/contracts';
import { groupBy } from '#platform/core';
import { type EndpointDeclaration, routePathOf } from '../endpoint.js';
import { authenticateRequest, type RequestAdmission } from './authenticate-requests.js';
import { sendError } from './error.filter.js';
import { ANONYMOUS_BODY_LIMIT_BYTES, BODY_LIMIT_BYTES } from './limits.js';
import { bodyLengthOf } from './request-body.js';

/** The body field that names another method. */
export const METHOD_FIELD = 'method';

/** The methods that the field may name: the answer to HEAD would have no body. */
const OVERRIDES: ReadonlySet<unknown> = new Set(['GET', 'PUT', 'PATCH', 'DELETE']);
const CARRIES_FIELDS = /^(?:application\/json|application\/x-www-form-urlencoded)\b/i;

/**
 * Routes a POST with a form field `method` to the route of that method and the same path, for clients that can only send
 * GET and POST.
 */
export function registerMethodOverride(
  fastify: FastifyInstance,
  declarations: readonly EndpointDeclaration[],
): void {
  fastify.decorate('allowedMethods', allowedMethodsOf(declarations));
  const handlers = new Map<string, RouteHandlerMethod>();
  fastify.addHook('onRoute', ({ method, url, handler }) => {
    for (const one of [method].flat())
      if (OVERRIDES.has(one)) handlers.set(`${one} ${url}`, handler);
  });
  fastify.addHook('preHandler', (request, reply, done) => {
    const method = takeMethod(request);
    if (method === undefined) return done();
    const handler = handlers.get(`${method} ${request.routeOptions.url}`);
    if (handler === undefined) return done(methodNotAllowed(request));
    // Without `done` the route of the POST does not run.
    void handler.call(fastify, request, reply);
  });
}

/** The allowed methods of each path that has endpoints, in ascending order. */
function allowedMethodsOf(
  declarations: readonly EndpointDeclaration[],
): ReadonlyMap<string, readonly string[]> {
  const byUrl = groupBy(declarations, routePathOf);
  return new Map(
    [...byUrl].map(([url, declared]) => {
      const methods = new Set<string>(declared.map(({ method }) => method));
      if (methods.has('GET')) methods.add('HEAD');
      return [url, [...methods].toSorted()];
    }),
  );
}

const onlyAllowed = (methods: readonly string[] = []) =>
  new ApiError(requestErrors.methodNotAllowed, {}, { allowed_methods: methods });

/** The error for a method that the path of a request does not have. */
export const methodNotAllowed = ({ server, routeOptions: { url = '' } }: FastifyRequest) =>
  onlyAllowed(server.allowedMethods.get(url));

/** The error for a request without a route: the router knows no path for a method such as PROPFIND. */
export function routeNotFound({ server, method, url }: FastifyRequest): ApiError {
  if (!server.supportedMethods.includes(method)) {
    const [path = ''] = url.split('?');
    for (const [route, allowed] of server.allowedMethods)
      if (expressionOf(route).test(path)) return onlyAllowed(allowed);
  }
  return new ApiError(requestErrors.notFound);
}

const expressionOf = (route: string): RegExp =>
  new RegExp(`^${route.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+').replace('*', '.*')}$`);

/** Whether the unread body of a request may name another method. */
const mayNameMethod = ({ method, headers }: FastifyRequest): boolean =>
  method === 'POST' && CARRIES_FIELDS.test(headers['content-type'] ?? '');

/** Removes the field `method` from the body of a POST to an endpoint, and returns its value if it names another method. */
function takeMethod(request: FastifyRequest): string | undefined {
  const { body, server, routeOptions } = request;
  if (request.method !== 'POST' || typeof body !== 'object' || body === null) return undefined;
  if (!Object.hasOwn(body, METHOD_FIELD) || !server.allowedMethods.has(routeOptions.url ?? ''))
    return undefined;
  const { [METHOD_FIELD]: given, ...rest } = body as Record<string, unknown>;
  const method = String([given].flat().at(-1));
  if (method === 'POST') return undefined;
  request.body = rest;
  return method;
}

/**
 * Answers OPTIONS on every declared path with the allowed methods, and every other method with 405. Only the body of a
 * POST that may name an allowed method is read: after a check of the credentials, or up to the anonymous limit without
 * credentials.
 */
export function registerOtherMethods(
  fastify: FastifyInstance,
  declarations: readonly EndpointDeclaration[],
  admission: RequestAdmission,
): void {
  for (const [url, declared] of groupBy(declarations, routePathOf)) {
    const allowed = fastify.allowedMethods.get(url) ?? [];
    const answered = new Set(['OPTIONS', ...allowed]);
    const areForServers = declared.every(({ access }) => isForServers(access));
    const refuse = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
      sendError(reply, methodNotAllowed(request));
      return reply;
    };
    const sendAllowedMethods = (_request: FastifyRequest, reply: FastifyReply): FastifyReply =>
      reply.status(204).header('Allow', allowed.join(', ')).send();
    fastify.route({
      method: 'OPTIONS',
      url,
      onRequest: async (request, reply) => sendAllowedMethods(request, reply),
      handler: sendAllowedMethods,
    });
    fastify.route({
      method: fastify.supportedMethods.filter((method) => !answered.has(method)),
      url,
      bodyLimit: BODY_LIMIT_BYTES,
      onRequest: async (request, reply) => {
        if (areForServers || !mayNameMethod(request)) return refuse(request, reply);
        if (request.headers.authorization !== undefined) {
          await authenticateRequest(admission.accounts, request, reply, { access: 'user' });
          admission.reserveBody(request, BODY_LIMIT_BYTES);
        } else if ((bodyLengthOf(request.raw) ?? Infinity) > ANONYMOUS_BODY_LIMIT_BYTES) {
          return refuse(request, reply);
        }
        return undefined;
      },
      handler: refuse,
    });
  }
}
