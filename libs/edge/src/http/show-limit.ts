import type { LimitState } from '#contracts';
import type { FastifyReply } from 'fastify';

/** Shows on an answer where its caller stands with the limit that was charged. */
export function showLimit(reply: FastifyReply, state: LimitState): void {
  reply.header('X-RateLimit-Limit', state.limit);
  reply.header('X-RateLimit-Remaining', state.remaining);
  reply.header('X-RateLimit-Reset', state.resetsAt);
}
