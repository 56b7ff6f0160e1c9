import { type LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { ApiGatewayConfig } from '#config';
import { VERSION } from '#core';
import { configureEdge, createEdgeAdapter, endpointsOf, openApiDocument } from '#edge';
import { ApiGatewayModule, endpointControllers } from './api-gateway.module.js';
import { addResumableUploads } from './uploads/resumable-uploads.js';

/** The gateway, ready to listen. */
export async function createApiGateway(
  config: ApiGatewayConfig,
  logger: LoggerService,
): Promise<NestFastifyApplication> {
  const app = await NestFactory.create<NestFastifyApplication>(
    ApiGatewayModule.with(config),
    createEdgeAdapter(config.http.trustedProxies),
    { logger, bodyParser: false },
  );
  await configureEdge(app, endpointControllers);
  await addResumableUploads(app);
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
