import 'reflect-metadata';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { type LoggerService, StandardSchemaValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { PushSandboxConfig } from '#platform/config';
import { createLogger } from '#platform/core';
import { AppModule } from './app.module.js';
import {
  prepareSandboxCredentials,
  SandboxSettings,
} from './credentials/prepare-sandbox-credentials.js';

const LONGEST_TOKEN_IN_PATH = 4096;

/**
 * Creates the sandbox and its credentials. `app.init()` opens the provider ports, `app.listen(…)` the page;
 * `app.close()` ends all connections at once.
 */
export async function createPushSandbox(
  config: PushSandboxConfig,
  logger?: LoggerService,
): Promise<NestFastifyApplication> {
  const folder = join(config.dataDir, 'sandbox');
  const credentials = await prepareSandboxCredentials(folder, config);
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.with(new SandboxSettings(config, credentials)),
    new FastifyAdapter({
      forceCloseConnections: true,
      routerOptions: { maxParamLength: LONGEST_TOKEN_IN_PATH },
    }),
    { logger: logger ?? createLogger('push-sandbox', config.logging), abortOnError: false },
  );
  app.useGlobalPipes(new StandardSchemaValidationPipe());
  const parseJson = app.getHttpAdapter().getInstance().getDefaultJsonParser('error', 'error');
  app.useBodyParser<Server>('application/json', {}, (request, body, done) => {
    // Many clients send the JSON content type also with an empty DELETE.
    if (body.length === 0) done(null, undefined);
    else parseJson(request, body.toString(), done);
  });
  return app;
}
