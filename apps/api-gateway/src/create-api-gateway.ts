import { type LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { ApiGatewayConfig } from '#config';
import { Drain, VERSION } from '#core';
import {
  closeWhileDraining,
  configureEdge,
  createEdgeAdapter,
  endpointsOf,
  fastifyOf,
  openApiDocument,
} from '#edge';
import { FreeSpace, observeFreeSpace, prepareUploadsFolder } from '#uploads';
import { Metrics, observeRequests, startTracing, traceRequests } from '#telemetry';
import { ApiGatewayModule, endpointControllers } from './api-gateway.module.js';
import { serveOps } from './ops/serve-ops.js';
import { addResumableUploads } from './uploads/resumable-uploads.js';

/** The gateway, ready to listen. */
export async function createApiGateway(
  config: ApiGatewayConfig,
  logger: LoggerService,
): Promise<NestFastifyApplication> {
  await prepareUploadsFolder(config.uploads.folder);
  await startTracing('carillon-api-gateway', config.tracing);
  const app = await NestFactory.create<NestFastifyApplication>(
    ApiGatewayModule.with(config),
    createEdgeAdapter(config.http.trustedProxies, config.http.connections),
    { logger, bodyParser: false },
  );
  // Before the edge, whose hooks may already carry a request out.
  traceRequests(fastifyOf(app));
  closeWhileDraining(fastifyOf(app), app.get(Drain));
  await configureEdge(app, endpointControllers, config.http.connections);
  if (config.metrics !== null) observeRequests(fastifyOf(app), app.get(Metrics));
  observeFreeSpace(app.get(Metrics), app.get(FreeSpace, { strict: false }));
  await addResumableUploads(app);
  await serveOps(app, config.ops);
  if (config.http.servesDocs) {
    // A gateway that serves no pages does not load what serves them.
    const { serveDocs } = await import('./docs/serve-docs.js');
    const document = openApiDocument(endpointsOf(endpointControllers), {
      version: VERSION,
      serverUrl: config.http.externalUrl,
    });
    await serveDocs(app, document);
  }
  return app;
}
