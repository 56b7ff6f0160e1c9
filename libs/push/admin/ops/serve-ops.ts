import { MethodNotAllowedException, NotFoundException } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fastifyOf } from '#platform/http';
import { sendOpsError } from './ops-error.filter.js';
import { serveQueueBoard } from './queue-board.js';
import { OperatorAuthenticator } from './sign-in/operator-authenticator.js';

/** The paths of the operator's page. */
const BELOW_OPS = /^\/ops(?:\/|$)/;

/** The methods of the routes below /ops, for answers to all other methods. */
export class KnownRoutes {
  readonly #routes: { readonly path: RegExp; readonly methods: readonly string[] }[] = [];

  /** `url` is a pattern of the router: `:name` is a segment, `*` the rest. */
  add({
    url,
    method,
  }: {
    readonly url: string;
    readonly method: string | readonly string[];
  }): void {
    if (BELOW_OPS.test(url)) this.#routes.push({ path: pathLike(url), methods: [method].flat() });
  }

  /** The methods of a path, sorted; empty without a route. */
  methodsOf(path: string): string[] {
    const matching = this.#routes.filter((route) => route.path.test(path));
    return [...new Set(matching.flatMap(({ methods }) => methods))].toSorted();
  }
}

function pathLike(url: string): RegExp {
  const parts = url.split('/').map((part) => {
    if (part === '*') return '.*';
    return part.startsWith(':') ? '[^/]+' : part.replaceAll(/[^\w-]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('/')}$`);
}

const SAFE_METHODS = ['GET', 'HEAD'];
const OTHER_METHODS = ['DELETE', 'OPTIONS', 'PATCH', 'POST', 'PUT'];

/** The paths without authentication: the sign-in form, and the static files. */
const PUBLIC_PATHS = /^\/ops\/(?:$|sign-in$|files\/)/;

/** Enough for the ids of a thousand dead letters. */
const BODY_LIMIT_BYTES = 131_072;

/**
 * Authenticates all requests below /ops before their body is read. Serves Bull Board unless the page is off, and
 * answers requests without a route.
 */
export async function serveOps(
  app: NestFastifyApplication,
  { token }: { readonly token: string | undefined },
): Promise<void> {
  const authenticator = app.get(OperatorAuthenticator, { strict: false });
  const fastify = fastifyOf(app);
  const known = new KnownRoutes();
  const handler = async (request: FastifyRequest, reply: FastifyReply) =>
    answerUnrouted(known, request, reply);
  // The controllers' routes are added later, when the app is initialised.
  fastify.addHook('onRoute', (route) => {
    if (!BELOW_OPS.test(route.url)) return;
    if (route.handler !== handler) known.add(route);
    route.errorHandler = (error, request, reply) => sendOpsError(request, reply, error);
    if (PUBLIC_PATHS.test(route.url)) return;
    route.bodyLimit = BODY_LIMIT_BYTES;
    route.onRequest = (request) => authenticator.authenticate(request);
  });
  if (token !== undefined) await serveQueueBoard(app);
  fastify.get('/ops/', (_request, reply) => reply.redirect('/ops', 308));
  fastify.route({ method: SAFE_METHODS, url: '/ops/*', handler });
  for (const url of ['/ops', '/ops/*']) fastify.route({ method: OTHER_METHODS, url, handler });
}

/** Answers OPTIONS; throws for any other request without a route. */
async function answerUnrouted(
  known: KnownRoutes,
  { method, url }: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const [path = ''] = url.split('?');
  const methods = known.methodsOf(path);
  if (methods.length === 0) throw new NotFoundException(`There is no ${method} ${path}.`);
  reply.header('Allow', methods.join(', '));
  if (method === 'OPTIONS') return reply.status(204).send();
  throw new MethodNotAllowedException(`${path} takes ${methods.join(', ')}, and no ${method}.`);
}
