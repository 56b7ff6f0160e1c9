import 'reflect-metadata';
import type { PushSandboxConfig } from '#config';
import { createLogger } from '#core';
import { type LoggerService, StandardSchemaValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { AppModule } from './app.module.js';
import { prepareSandboxCredentials } from './credentials/prepare-sandbox-credentials.js';
import { SandboxSettings } from './sandbox-settings.js';

const longestTokenInPath = 4096;

/**
 * Makes the sandbox, credentials included. The wires open with `app.init()`, the page with
 * `app.listen(…)`; `app.close()` ends every connection at once.
 */
export async function createPushSandbox(
  config: PushSandboxConfig,
  logger?: LoggerService,
): Promise<NestFastifyApplication> {
  const folder = join(config.dataDir, 'sandbox');
  const credentials = await prepareSandboxCredentials(folder, { fcm: config.fcmPort });
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.with(new SandboxSettings(config, credentials)),
    new FastifyAdapter({
      forceCloseConnections: true,
      routerOptions: { maxParamLength: longestTokenInPath },
    }),
    { logger: logger ?? (await createLogger(config.logging)), abortOnError: false },
  );
  app.useGlobalPipes(new StandardSchemaValidationPipe());
  const parseJson = app.getHttpAdapter().getInstance().getDefaultJsonParser('error', 'error');
  app.useBodyParser<Server>('application/json', {}, (request, body, done) => {
    // Many clients announce JSON with every request, also with a DELETE that has no body.
    if (body.length === 0) done(null, undefined);
    else parseJson(request, body.toString(), done);
  });
  return app;
}
