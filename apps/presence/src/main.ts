import { NestFactory } from '@nestjs/core';
import { readPresenceConfig } from '#config';
import { neededAtStart, runProgram, startHealthServer } from '#core';
import { DatabaseHealth } from '#database';
import { PresenceRuntime } from '#presence';
import { Metrics } from '#telemetry';
import { AppModule } from './app.module.js';

await runProgram('presence', readPresenceConfig, async (config, logger) => {
  const app = await NestFactory.createApplicationContext(AppModule.with(config), {
    logger,
    abortOnError: false,
  });
  const database = app.get(DatabaseHealth);
  const runtime = app.get(PresenceRuntime);
  // Once it has both stores, presence answers from memory and keeps what it cannot write: to stop asking it would lose
  // more than an outage does.
  const checks = [
    neededAtStart({ name: 'redis', check: () => runtime.checkRedis() }),
    neededAtStart(database.postgresql),
    database.schema,
  ];
  await startHealthServer(config.health, checks, app.get(Metrics));
  return app;
});
