import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { fastifyOf } from '#edge';
import { QueueBoard } from '#queue';
import { QueueBoardServer } from './queue-board-server.js';

const BASE_PATH = '/ops/queues';

/** Serves Bull Board to the operator, for looking only. Call it from `serveOps`, which guards its routes. */
export async function serveQueueBoard(app: NestFastifyApplication): Promise<void> {
  // A gateway that shows no board does not load it.
  const { createBullBoard } = await import('@bull-board/api');
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
      server.serve(scope);
      done();
    },
    { prefix: BASE_PATH },
  );
}
