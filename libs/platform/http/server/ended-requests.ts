import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** The route of an unknown path, and the method of bytes that are no request. */
const NONE = 'none';

/** A request that was answered, or whose client has left. */
export interface EndedRequest {
  /** The `X-Request-Id` of the response. */
  readonly id: string;
  readonly method: string;
  /** The pattern of the route, because the path itself may contain secrets. */
  readonly route: string;
  readonly status: number;
  /** Since its arrival. */
  readonly seconds: number;
  /** Whether the whole response was sent. */
  readonly isComplete: boolean;
  /** The account that has signed in. */
  readonly userId: number | null;
}

/** Receives each ended request. */
export type OnEnded = (ended: EndedRequest) => void;

/** Bytes that are no request of HTTP, or not yet, which were answered with this status. */
export const brokenRequest = (id: string, status: number): EndedRequest => ({
  id,
  method: NONE,
  route: NONE,
  status,
  seconds: 0,
  isComplete: true,
  userId: null,
});

/**
 * Passes every ended request to the listeners. Returns the function for responses that the framework does not send;
 * undefined without listeners.
 */
export function publishEndedRequests(
  fastify: FastifyInstance,
  listeners: readonly OnEnded[],
): OnEnded | undefined {
  if (listeners.length === 0) return undefined;
  const publish: OnEnded = (ended) => {
    for (const listener of listeners) listener(ended);
  };
  // For requests that no hook sees.
  fastify.decorate('onRequestEnded', publish);
  fastify.addHook('onRequest', (request, reply, done) => {
    // The framework has no hook for a response that is not sent as a whole.
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) publish(endedRequest(request, reply));
    });
    done();
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    if (reply.raw.writableFinished) publish(endedRequest(request, reply));
    done();
  });
  return publish;
}

/** A request of the framework that ends now. */
export const endedRequest = (request: FastifyRequest, { raw, elapsedTime }: FastifyReply) => ({
  id: request.id,
  method: request.method,
  route: request.routeOptions.url ?? NONE,
  status: raw.statusCode,
  seconds: elapsedTime / 1000,
  isComplete: raw.writableFinished,
  userId: request.authenticated?.caller?.userId ?? null,
});
