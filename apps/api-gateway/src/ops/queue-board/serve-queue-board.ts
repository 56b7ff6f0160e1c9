import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { fastifyOf } from '#edge';
import { QueueBoard } from '#queue';
import { sendOpsError } from '../ops-error.filter.js';
import { OperatorGate } from '../sign-in/operator-gate.js';
import { QueueBoardServer } from './queue-board-server.js';

const BASE_PATH = '/ops/queues';

/** Serves Bull Board to the operator, for looking only. Call it before the app listens. */
export async function serveQueueBoard(app: NestFastifyApplication): Promise<void> {
  // A gateway that shows no board does not load it.
  const { createBullBoard } = await import('@bull-board/api');
  const gate = app.get(OperatorGate, { strict: false });
  const server = new QueueBoardServer(BASE_PATH);
  createBullBoard({
    queues: await app.get(QueueBoard, { strict: false }).adapters(),
    serverAdapter: server,
    options: {
      uiConfig: {
        boardTitle: 'Carillon queues',
        favIcon: { default: '/ops/files/icon.svg', alternative: '/ops/files/icon.svg' },
        miscLinks: [{ text: 'Operations', url: '/ops' }],
        hideDocsLink: true,
      },
    },
  });
  await fastifyOf(app).register(
    (scope, _options, done) => {
      scope.addHook('onRequest', (request) => gate.admit(request));
      scope.setErrorHandler((error, request, reply) => sendOpsError(request, reply, error));
      server.serve(scope);
      done();
    },
    { prefix: BASE_PATH },
  );
}
