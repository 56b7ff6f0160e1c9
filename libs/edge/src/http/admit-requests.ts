import { type Access, type Admission, ApiError } from '#contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { EndpointDeclaration } from '../endpoint.js';
import { answerThrown } from './error.filter.js';
import { ANONYMOUS_BODY_LIMIT_BYTES, BODY_LIMIT_BYTES } from './limits.js';
import { BodyBudget, bodyLengthOf } from './request-body.js';
import { routePathOf } from './route-path.rules.js';
import { showLimit } from './show-limit.js';

/** The largest body that a declared endpoint takes, beside a file. */
export const bodyLimitOf = ({ access }: EndpointDeclaration): number =>
  access === 'anyone' ? ANONYMOUS_BODY_LIMIT_BYTES : BODY_LIMIT_BYTES;

/** Signs a request in and charges it; shows the limit on its answer. Rejects with ApiError. */
export async function admitRequest(
  admission: Admission,
  request: FastifyRequest,
  reply: FastifyReply,
  { access, isFile = false }: { readonly access: Access; readonly isFile?: boolean },
): Promise<void> {
  const { authorization, host = '' } = request.headers;
  const applicant = { authorization, host, address: request.ip };
  const onCharged = showLimit.bind(null, reply);
  request.admitted = { caller: await admission.admit(applicant, access, onCharged, isFile) };
}

/** Lets the requests of one server in before their bodies are read, and bounds the memory of those bodies. */
export class Admitter {
  readonly #budget = new BodyBudget();

  constructor(private readonly admissionOf: () => Admission) {}

  /** See admitRequest. */
  async admit(
    request: FastifyRequest,
    reply: FastifyReply,
    access: Access,
    isFile = false,
  ): Promise<void> {
    await admitRequest(this.admissionOf(), request, reply, { access, isFile });
  }

  /** Lets a body of at most so many bytes be read; throws ApiError. */
  admitBody(request: FastifyRequest, limit: number): void {
    if (request.admitted?.caller == null && (bodyLengthOf(request.raw) ?? 0) > limit) {
      throw new ApiError('bodyTooLarge', { limit });
    }
    this.#budget.reserve(request.raw, limit);
  }
}

/**
 * Lets requests in to declared endpoints before any of their body is read: sign-in, then the rate limit. The role
 * is looked at later, because a field of the body may still name another method. All other routes get the small
 * limit of a body that needs no sign-in, unless they name one. Call it before the routes are made.
 */
export function registerAdmission(
  fastify: FastifyInstance,
  declarations: readonly EndpointDeclaration[],
  admitter: Admitter,
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
      await admitter.admit(request, reply, access, declaration.returns === 'file');
      if (declaration.file === undefined) admitter.admitBody(request, limit);
    };
  });
}

function declarationOf(
  byRoute: ReadonlyMap<string, EndpointDeclaration>,
  { method, url }: RouteOptions,
): EndpointDeclaration | undefined {
  if (typeof method !== 'string') return undefined;
  return byRoute.get(`${method === 'HEAD' ? 'GET' : method} ${url}`);
}
