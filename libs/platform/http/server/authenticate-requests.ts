import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import {
  type Access,
  ApiError,
  type Authenticator,
  type Caller,
  type Charge,
  type LimitState,
  refuseRole,
  requestErrors,
} from '#platform/contracts';
import { type EndpointDeclaration, routePathOf } from '../endpoint.js';
import { answerThrown } from './error.filter.js';
import { ANONYMOUS_BODY_LIMIT_BYTES, BODY_LIMIT_BYTES } from './limits.js';
import { BodyBudget, bodyLengthOf } from './request-body.js';

/** The largest body of an endpoint, without its file. */
export const bodyLimitOf = ({ access }: EndpointDeclaration): number =>
  access === 'anyone' ? ANONYMOUS_BODY_LIMIT_BYTES : BODY_LIMIT_BYTES;

/** Authenticates a request, charges its rate limit and sets the headers of the limit. Rejects with ApiError. */
export async function authenticateRequest(
  authenticator: Authenticator,
  request: FastifyRequest,
  reply: FastifyReply,
  { access, charge = 'request' }: { readonly access: Access; readonly charge?: Charge },
): Promise<void> {
  const { authorization, host = '' } = request.headers;
  const authRequest = { authorization, host, address: request.ip };
  const onCharged = showLimit.bind(null, reply);
  request.authenticated = {
    caller: await authenticator.authenticate(authRequest, access, onCharged, charge),
  };
}

/** Authenticates requests before their bodies are read, and limits the memory of all bodies of a server. */
export class RequestAuthenticator {
  readonly #budget = new BodyBudget();

  constructor(private readonly authenticatorOf: () => Authenticator) {}

  /** Calls authenticateRequest. */
  async authenticate(
    request: FastifyRequest,
    reply: FastifyReply,
    access: Access,
    charge: Charge = 'request',
  ): Promise<void> {
    await authenticateRequest(this.authenticatorOf(), request, reply, { access, charge });
  }

  /** Reserves the memory for a body of at most `limit` bytes; throws ApiError. */
  reserveBody(request: FastifyRequest, limit: number): void {
    if (request.authenticated?.caller == null && (bodyLengthOf(request.raw) ?? 0) > limit) {
      throw new ApiError(requestErrors.bodyTooLarge, { limit });
    }
    this.#budget.reserve(request.raw, limit);
  }
}

/**
 * Authenticates and charges the requests of endpoints before their bodies are read. The role is checked later, because a
 * field of the body may name another method. All other routes get the body limit of anonymous requests, unless they set
 * one. Call it before the routes are registered.
 */
export function registerAuthentication(
  fastify: FastifyInstance,
  declarations: readonly EndpointDeclaration[],
  requestAuthenticator: RequestAuthenticator,
): void {
  const byRoute = new Map(declarations.map((one) => [`${one.method} ${routePathOf(one)}`, one]));
  fastify.addHook('onRoute', (route) => {
    route.errorHandler ??= (thrown, request, reply) => answerThrown(request, reply, thrown);
    const declaration = declarationOf(byRoute, route);
    if (declaration === undefined) {
      route.bodyLimit ??= ANONYMOUS_BODY_LIMIT_BYTES;
      return;
    }
    const access = declaration.access === 'anyone' ? 'anyone' : 'user';
    const limit = bodyLimitOf(declaration);
    route.bodyLimit = limit;
    route.onRequest = async (request, reply) => {
      await requestAuthenticator.authenticate(request, reply, access, chargeOf(declaration));
      if (declaration.file === undefined) requestAuthenticator.reserveBody(request, limit);
    };
  });
}

const chargeOf = ({ returns, chargesOwnLimit = false }: EndpointDeclaration): Charge => {
  if (chargesOwnLimit) return 'own';
  return returns === 'file' ? 'file' : 'request';
};

function declarationOf(
  byRoute: ReadonlyMap<string, EndpointDeclaration>,
  { method, url }: RouteOptions,
): EndpointDeclaration | undefined {
  if (typeof method !== 'string') return undefined;
  return byRoute.get(`${method === 'HEAD' ? 'GET' : method} ${url}`);
}

/**
 * Checks the access of the caller, and resolves with the caller; null if the endpoint requires no sign-in. Rejects with
 * ApiError.
 *
 * The request is already authenticated, except when its body names another method and the endpoint of its own method
 * requires no sign-in: then it is authenticated here.
 */
export async function authorizeRequest(
  authenticator: Authenticator,
  request: FastifyRequest,
  reply: FastifyReply,
  access: Access,
): Promise<Caller | null> {
  const isUnauthenticated = access !== 'anyone' && request.authenticated?.caller == null;
  if (request.authenticated === null || isUnauthenticated) {
    await authenticateRequest(authenticator, request, reply, { access });
  }
  const caller = access === 'anyone' ? null : (request.authenticated?.caller ?? null);
  if (caller !== null) refuseRole(caller, access);
  return caller;
}

/** Sets the headers of the charged rate limit. */
export function showLimit(reply: FastifyReply, state: LimitState): void {
  reply.header('X-RateLimit-Limit', state.limit);
  reply.header('X-RateLimit-Remaining', state.remaining);
  reply.header('X-RateLimit-Reset', state.resetsAt);
}
