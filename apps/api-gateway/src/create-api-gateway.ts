import { type LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { observeFreeSpace, prepareUploadsFolder } from '#chat/uploads';
import { addResumableUploads } from '#chat/uploads/endpoints';
import { PollMetrics } from '#events/polling';
import { addDirectPolls } from '#events/polling/endpoints';
import type { ApiGatewayConfig } from '#platform/config';
import { Drain, VERSION } from '#platform/core';
import { DatabaseHealth } from '#platform/database';
import {
  closeWhileDraining,
  configureEdge,
  createEdgeAdapter,
  endpointsOf,
  fastifyOf,
  FreeSpace,
  type OnEnded,
  openApiDocument,
  publishEndedRequests,
  requestLog,
} from '#platform/http';
import {
  isTracing,
  Metrics,
  observeRequests,
  startTracing,
  traceRequests,
} from '#platform/telemetry';
import { addDirectReports } from '#presence/http/endpoints';
import { serveOps } from '#push/admin/endpoints';
import { addDirectTestNotifications } from '#push/notifications/endpoints';
import { ApiGatewayModule, controllersOf } from './api-gateway.module.js';
import { refuseWithoutSchema } from './health/refuse-without-schema.js';

/** Creates a gateway that is ready to listen. */
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
  // These must precede the edge: a hook of the edge may already answer a request.
  traceRequests(fastifyOf(app));
  const onEnded = publishEndedRequests(fastifyOf(app), requestListeners(config, app.get(Metrics)));
  closeWhileDraining(fastifyOf(app), app.get(Drain));
  const controllers = controllersOf(config);
  await configureEdge(app, controllers, config.http.connections);
  refuseWithoutSchema(fastifyOf(app), app.get(DatabaseHealth, { strict: false }));
  // Spans need the hooks of the framework.
  if (!isTracing()) {
    const options = { onEnded, ...config.http.connections };
    addDirectPolls(app, options);
    addDirectReports(app, options);
    addDirectTestNotifications(app, options);
  }
  app.get(PollMetrics, { strict: false }).publish(app.get(Metrics));
  observeFreeSpace(app.get(Metrics), app.get(FreeSpace, { strict: false }));
  await addResumableUploads(app);
  await serveOps(app, config.ops);
  if (config.http.servesDocs) {
    // Loaded only if the configuration enables the pages.
    const { serveDocs } = await import('./docs/serve-docs.js');
    await serveDocs(app, () =>
      openApiDocument(endpointsOf(controllers), {
        version: VERSION,
        serverUrl: config.http.externalUrl,
      }),
    );
  }
  if (config.demoFile !== null) {
    const { serveDemo } = await import('./demo/serve-demo.js');
    await serveDemo(app, { file: config.demoFile, externalUrl: config.http.externalUrl });
  }
  return app;
}

/** The listeners for ended requests: metrics and the log, if they are configured. */
function requestListeners(
  { metrics: address, http: { requestLog: logged } }: ApiGatewayConfig,
  metrics: Metrics,
): OnEnded[] {
  return [
    ...(address === null ? [] : [observeRequests(metrics)]),
    ...(logged === 'none' ? [] : [requestLog(logged)]),
  ];
}
