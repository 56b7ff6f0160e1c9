import { type LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { observeFreeSpace, prepareUploadsFolder } from '#chat/uploads';
import { addResumableUploads } from '#chat/uploads/endpoints';
import { PollMetrics } from '#events/polling';
import { addDirectPolls } from '#events/polling/endpoints';
import type { ApiGatewayConfig } from '#platform/config';
import { Drain, VERSION } from '#platform/core';
import { Database, DatabaseHealth } from '#platform/database';
import {
  buildEdge,
  createEdgeAdapter,
  endpointsOfApp,
  FreeSpace,
  type OnEnded,
  openApiDocument,
  requestLog,
} from '#platform/http';
import { readOutboundProxy } from '#platform/outbound';
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
import { ApiGatewayModule } from './api-gateway.module.js';
import { refuseWithoutSchema } from './health/refuse-without-schema.js';

/** Creates a gateway that is ready to listen. */
export async function createApiGateway(
  config: ApiGatewayConfig,
  logger: LoggerService,
): Promise<NestFastifyApplication> {
  await prepareUploadsFolder(config.uploads.folder);
  const proxy = await readOutboundProxy(config.outboundProxy);
  await startTracing('carillon-api-gateway', config.tracing, proxy);
  const app = await NestFactory.create<NestFastifyApplication>(
    ApiGatewayModule.with(config, proxy),
    createEdgeAdapter(config.http.trustedProxies, config.http.connections),
    { logger, bodyParser: false },
  );
  await app.get(Database).loadPrisma();
  const metrics = app.get(Metrics);
  const health = app.get(DatabaseHealth, { strict: false });
  await buildEdge(app, {
    limits: config.http.connections,
    observers: [traceRequests],
    listeners: requestListeners(config, metrics),
    drain: app.get(Drain),
    guards: [(fastify) => refuseWithoutSchema(fastify, health)],
    // Spans need the hooks of the framework.
    directRoutes: isTracing() ? [] : [addDirectPolls, addDirectReports, addDirectTestNotifications],
    routes: [addResumableUploads, () => serveOps(app, config.ops), () => servePages(app, config)],
  });
  app.get(PollMetrics, { strict: false }).publish(metrics);
  observeFreeSpace(metrics, app.get(FreeSpace, { strict: false }));
  return app;
}

/** Serves the pages that the configuration enables; others are not loaded. */
async function servePages(app: NestFastifyApplication, config: ApiGatewayConfig): Promise<void> {
  const { externalUrl, servesDocs } = config.http;
  if (servesDocs) {
    const { serveDocs } = await import('./docs/serve-docs.js');
    const info = { version: VERSION, serverUrl: externalUrl };
    await serveDocs(app, () => openApiDocument(endpointsOfApp(app), info));
  }
  if (config.demoFile !== null) {
    const { serveDemo } = await import('./demo/serve-demo.js');
    await serveDemo(app, { file: config.demoFile, externalUrl });
  }
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
