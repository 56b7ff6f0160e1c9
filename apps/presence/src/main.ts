import { NestFactory } from '@nestjs/core';
import { readPresenceConfig, storePlace } from '#platform/config';
import { rethrowListenError, neededAtStart, runProgram, startHealthServer } from '#platform/core';
import { DatabaseHealth } from '#platform/database';
import { readOutboundProxy } from '#platform/outbound';
import { refuseMissingDatabase } from '#platform/redis';
import { SettingsComparison } from '#platform/shared-settings';
import { Metrics, observeProgram, startTracing } from '#platform/telemetry';
import { PresenceRuntime } from '#presence/server';
import { AppModule } from './app.module.js';

await runProgram('presence', readPresenceConfig, async (config, logger) => {
  await refuseMissingDatabase(config.redis.urls, config.redis.variable);
  const proxy = await readOutboundProxy(config.outboundProxy);
  await startTracing('carillon-presence', config.tracing, proxy);
  const app = await NestFactory.createApplicationContext(AppModule.with(config), {
    logger,
    abortOnError: false,
  });
  const database = app.get(DatabaseHealth);
  const runtime = app.get(PresenceRuntime);
  const settings = app.get(SettingsComparison, { strict: false });
  // After its first success, a store check only warns: presence serves from memory and buffers writes, so taking it out of
  // rotation would lose more.
  const checks = [
    neededAtStart({
      name: 'redis',
      place: storePlace(config.redis.urls, config.redis.variable),
      check: () => runtime.checkRedis(),
    }),
    neededAtStart(database.postgresql),
    { ...database.writes, isWarning: true },
    database.schema,
    settings.healthCheck,
    settings.clockCheck,
  ];
  const metrics = app.get(Metrics);
  observeProgram(metrics, { checks, pool: database.pool });
  await startHealthServer(config.health, checks, metrics).catch(
    rethrowListenError({ host: 'PRESENCE_HOST', port: 'PRESENCE_HEALTH_PORT' }),
  );
  return { app, address: config.rpc, checks };
});
