import { NotFoundException } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { fastifyOf } from '#edge';
import { sendOpsError } from './ops-error.filter.js';
import { serveQueueBoard } from './queue-board/serve-queue-board.js';
import { OperatorGate } from './sign-in/operator-gate.js';

const METHODS = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];

/**
 * Serves what of the operator's page is no controller: Bull Board, unless the page is off, and an answer
 * to every other path below /ops. Call it before the app listens.
 */
export async function serveOps(
  app: NestFastifyApplication,
  { token }: { readonly token: string | undefined },
): Promise<void> {
  if (token !== undefined) await serveQueueBoard(app);
  const gate = app.get(OperatorGate, { strict: false });
  const fastify = fastifyOf(app);
  fastify.get('/ops/', (_request, reply) => reply.redirect('/ops', 308));
  fastify.route({
    method: METHODS,
    url: '/ops/*',
    handler: async (request, reply) => {
      try {
        await gate.admit(request);
        const [path = ''] = request.url.split('?');
        throw new NotFoundException(`There is no ${request.method} ${path}.`);
      } catch (error) {
        sendOpsError(request, reply, error);
        return reply;
      }
    },
  });
}
