import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';

/** The server below an application that was made with `createEdgeAdapter`. */
export const fastifyOf = (app: NestFastifyApplication): FastifyInstance =>
  // Nest types it by all HTTP versions there are; the adapter speaks plain HTTP/1.1.
  app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
