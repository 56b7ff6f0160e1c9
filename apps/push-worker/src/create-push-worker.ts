import type { INestApplicationContext, LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { PushWorkerConfig } from '#platform/config';
import { readOutboundProxy } from '#platform/outbound';
import { refuseMissingDatabases } from '#platform/redis';
import { startTracing } from '#platform/telemetry';
import { AppModule } from './app.module.js';
import { openTransports } from './open-transports.js';

/** Creates a worker and starts it; rejects if a configured credential cannot be read. */
export async function createPushWorker(
  config: PushWorkerConfig,
  logger: LoggerService,
): Promise<INestApplicationContext> {
  await refuseMissingDatabases(config);
  const proxy = await readOutboundProxy(config.outboundProxy);
  await startTracing('carillon-push-worker', config.tracing, proxy);
  const opened = await openTransports(config, proxy);
  for (const provider of config.unconfigured) {
    logger.warn(`No credentials of ${provider} are configured: its notifications wait`, 'Push');
  }
  return NestFactory.createApplicationContext(AppModule.with(config, opened), {
    logger,
    abortOnError: false,
  });
}
