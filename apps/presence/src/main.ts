import { NestFactory } from '@nestjs/core';
import { readPresenceConfig } from '#platform/config';
import { rethrowListenError, neededAtStart, runProgram, startHealthServer } from '#platform/core';
import { DatabaseHealth } from '#platform/database';
import { refuseMissingDatabase } from '#platform/redis';
import { SettingsComparison } from '#platform/shared-settings';
import { Metrics, observeProgram, startTracing } from '#platform/telemetry';
import { PresenceRuntime } from '#presence/server';
import { AppModule } from './app.module.js';

await runProgram('presence', readPresenceConfig, async (config, logger) => {
  await refuseMissingDatabase(config.redis.urls, config.redis.variable);
  await startTracing('carillon-presence', config.tracing);
  const app = await NestFactory.createApplicationContext(AppModule.with(config), {
    logger,
    abortOnError: false,
  });
  const database = app.get(DatabaseHealth);
  const runtime = app.get(PresenceRuntime);
  const settings = app.get(SettingsComparison, { strict: false });
  // Once it has both stores, presence answers from memory and keeps what it cannot write: to stop asking it would lose
  // more than an outage does.
  const checks = [
    neededAtStart({ name: 'redis', check: () => runtime.checkRedis() }),
    neededAtStart(database.postgresql),
    database.schema,
    settings.healthCheck,
    settings.clockCheck,
  ];
  const metrics = app.get(Metrics);
  observeProgram(metrics, { checks, pool: database.pool });
  await startHealthServer(config.health, checks, metrics).catch(
    rethrowListenError({ host: 'PRESENCE_HOST', port: 'PRESENCE_HEALTH_PORT' }),
  );
  return app;
});
