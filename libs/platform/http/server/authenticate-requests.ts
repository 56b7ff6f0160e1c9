import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import {
  type Access,
  ApiError,
  type Authenticator,
  type Caller,
  type CataloguedError,
  type Charge,
  isForServers,
  type LimitState,
  MEBIBYTE,
  refuseUnmet,
  type RemoteAuthenticator,
  requestErrors,
  type ServerAccess,
  type ServerCharge,
} from '#platform/contracts';
import { type EndpointDeclaration, routePathOf } from '../endpoint.js';
import { answerThrown, statusOf } from './error.filter.js';
import { ANONYMOUS_BODY_LIMIT_BYTES, BODY_LIMIT_BYTES, BYTES_OF_CALL } from './limits.js';
import { MemoryBudget, requestMemory } from './memory-budget.js';
import { BodyBudget, bodyLengthOf } from './request-body.js';
import { ownerOf } from './request-owner.js';

/** The largest body of an endpoint, without its file. */
export const bodyLimitOf = ({ access, body }: EndpointDeclaration): number =>
  body?.limitBytes ??
  (access === 'anyone' || access === 'any-server' ? ANONYMOUS_BODY_LIMIT_BYTES : BODY_LIMIT_BYTES);

/** Authenticates a request, charges its rate limit and sets the headers of the limit. Rejects with ApiError. */
export async function authenticateRequest(
  authenticator: Authenticator,
  request: FastifyRequest,
  reply: FastifyReply,
  { access, charge = 'request' }: { readonly access: Access; readonly charge?: Charge },
): Promise<void> {
  const onCharged = showLimit.bind(null, reply);
  const caller = await authenticator.authenticate(
    authRequestOf(request),
    access,
    onCharged,
    charge,
  );
  const signInAgain = () =>
    authenticateRequest(authenticator, request, reply, { access, charge: 'own' });
  request.authenticated = { caller, ...(caller && isBodyLate(request) && { signInAgain }) };
}

const isBodyLate = ({ raw }: FastifyRequest): boolean => !raw.complete;

const authRequestOf = ({ headers, ip }: FastifyRequest) => ({
  authorization: headers.authorization,
  host: headers.host ?? '',
  address: ip,
});

/** The Authenticators of a program, which exist once it listens. */
interface Authenticators {
  readonly accounts: () => Authenticator;
  readonly servers: () => RemoteAuthenticator;
}

/** Admits requests before their bodies are read: their sign-in, and the memory for their bodies. */
export class RequestAdmission {
  readonly #budget = new BodyBudget(requestMemory);
  /** Of its own, because anybody may register several servers. */
  readonly #budgetOfServers = new BodyBudget(
    new MemoryBudget({ bytes: 128 * MEBIBYTE, ownBytes: 64 * MEBIBYTE }),
  );

  constructor(private readonly authenticators: Authenticators) {}

  /** The Authenticator of accounts. */
  get accounts(): Authenticator {
    return this.authenticators.accounts();
  }

  /** Like authenticateRequest, for an endpoint for servers. */
  async authenticateServer(
    request: FastifyRequest,
    reply: FastifyReply,
    access: ServerAccess,
    charge: ServerCharge = 'request',
  ): Promise<void> {
    const onCharged = showLimit.bind(null, reply);
    const server = await this.authenticators
      .servers()
      .authenticate(authRequestOf(request), access, onCharged, charge);
    const signInAgain = () => this.authenticateServer(request, reply, access, 'none');
    request.authenticated = {
      caller: null,
      server,
      ...(server && isBodyLate(request) && { signInAgain }),
    };
  }

  /** An upload of at most so many bytes was refused. One that was refused before its sign-in ended has cost nothing. */
  async uploadRefused(request: FastifyRequest, bytes: number): Promise<void> {
    const server = request.authenticated?.server;
    if (server) await this.authenticators.servers().uploadRefused(server, bytes);
  }

  /** Reserves the memory for a body of at most `limit` bytes; throws ApiError. */
  reserveBody(
    request: FastifyRequest,
    limit: number,
    tooLarge: CataloguedError = requestErrors.bodyTooLarge,
  ): void {
    if (request.authenticated?.caller == null && (bodyLengthOf(request.raw) ?? 0) > limit) {
      throw new ApiError(tooLarge, { limit });
    }
    const budget = request.authenticated?.server ? this.#budgetOfServers : this.#budget;
    budget.reserve(request.raw, limit, ownerOf(request));
  }
}

/**
 * Authenticates and charges the requests of endpoints before their bodies are read. The role is checked later, because a
 * field of the body may name another method. All other routes get the body limit of anonymous requests, unless they set
 * one.
 */
export function registerAuthentication(
  fastify: FastifyInstance,
  declarations: readonly EndpointDeclaration[],
  admission: RequestAdmission,
): void {
  const byRoute = new Map(declarations.map((one) => [`${one.method} ${routePathOf(one)}`, one]));
  fastify.addHook('onRoute', (route) => {
    const declaration = declarationOf(byRoute, route);
    route.errorHandler ??= (thrown, request, reply) =>
      answerThrown(request, reply, bodyErrorOf(thrown, declaration));
    if (declaration === undefined) {
      route.bodyLimit ??= ANONYMOUS_BODY_LIMIT_BYTES;
      return;
    }
    const { access, body, file } = declaration;
    const limit = bodyLimitOf(declaration);
    route.bodyLimit = limit;
    route.onRequest = async (request, reply) => {
      if (isForServers(access)) {
        const uploadBytes = bodyBytesOf(request, limit);
        const isUpload = declaration.chargesUploadLimit === true;
        const charge = isUpload ? { uploadBytes } : 'request';
        await admission.authenticateServer(request, reply, access, charge);
      } else {
        const needed = access === 'anyone' ? 'anyone' : 'user';
        const charge = chargeOf(declaration);
        await authenticateRequest(admission.accounts, request, reply, { access: needed, charge });
      }
      if (file === undefined) admission.reserveBody(request, limit, body?.tooLarge);
    };
    if (declaration.chargesUploadLimit === true) {
      route.onSend = async (request, { statusCode }) => {
        if (statusCode < 400 || statusCode >= 500) return;
        await admission.uploadRefused(request, bodyBytesOf(request, limit));
      };
    }
  });
}

/** The most bytes of a body that are read: none of one that is announced as too large. */
function bodyBytesOf({ raw }: FastifyRequest, limit: number): number {
  const bytes = bodyLengthOf(raw) ?? limit;
  return bytes > limit ? 0 : bytes;
}

/** The declared error for a body that is too large; any other value as it is. */
const bodyErrorOf = (thrown: unknown, declaration: EndpointDeclaration | undefined): unknown =>
  declaration?.body !== undefined && statusOf(thrown) === 413
    ? new ApiError(declaration.body.tooLarge, { limit: declaration.body.limitBytes })
    : thrown;

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
  // Every request of a server was authenticated before its body was read.
  if (isForServers(access)) return null;
  const isUnauthenticated = access !== 'anyone' && request.authenticated?.caller == null;
  if (request.authenticated === null || isUnauthenticated) {
    await authenticateRequest(authenticator, request, reply, { access });
  }
  const caller = access === 'anyone' ? null : (request.authenticated?.caller ?? null);
  if (caller !== null) refuseUnmet(caller, access);
  return caller;
}

/**
 * The same after the body has been read. The sender of a late body is authenticated again: a client could open requests with
 * a key, and complete them when the key is replaced, the account or the server deactivated, or its role changed.
 */
export async function confirmAccess(
  authenticator: Authenticator,
  request: FastifyRequest,
  reply: FastifyReply,
  access: Access,
): Promise<Caller | null> {
  await request.authenticated?.signInAgain?.();
  return authorizeRequest(authenticator, request, reply, access);
}

/**
 * Charges a refused request to the limit of its account, if its endpoint had no chance to charge its own limit: otherwise
 * invalid requests would be charged to no limit. Rejects with `rateLimited`.
 */
export async function chargeRefused(
  authenticator: Authenticator,
  caller: Caller | null,
  reply: FastifyReply,
): Promise<void> {
  if (caller !== null) await authenticator.charge(caller, showLimit.bind(null, reply));
}

/** Charges an answer to the limit of its account by its size, beyond the call that was charged before. */
export async function chargeSize(
  { accounts }: RequestAdmission,
  request: FastifyRequest,
  reply: FastifyReply,
  bytes: number,
): Promise<void> {
  const calls = Math.floor(bytes / BYTES_OF_CALL);
  const caller = request.authenticated?.caller;
  if (calls === 0 || caller == null) return;
  // The answer exists: the next request is refused.
  await accounts.charge(caller, showLimit.bind(null, reply), calls).catch(() => undefined);
}

/** Sets the headers of the charged rate limit. */
function showLimit(reply: FastifyReply, state: LimitState): void {
  reply.headers(limitHeaders(state));
}

/** The headers of the charged rate limit. */
export const limitHeaders = ({ limit, remaining, resetsAt }: LimitState) => ({
  'X-RateLimit-Limit': limit,
  'X-RateLimit-Remaining': remaining,
  'X-RateLimit-Reset': resetsAt,
});
