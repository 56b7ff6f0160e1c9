import type { Drain } from '#core';
import type { FastifyInstance } from 'fastify';

/**
 * Tells the client or proxy with each answer not to use its connection again, once the server is about to stop. Call
 * it before the server listens.
 */
export function closeWhileDraining(fastify: FastifyInstance, drain: Drain): void {
  // A route that writes its answer by itself has the headers from the beginning of the request.
  fastify.addHook('onRequest', (_request, reply, done) => {
    if (drain.isDraining) reply.header('Connection', 'close');
    done();
  });
  // A request that began earlier.
  fastify.addHook('onSend', (_request, reply, payload, done) => {
    if (drain.isDraining) reply.header('Connection', 'close');
    done(null, payload);
  });
}
