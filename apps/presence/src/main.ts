import { NestFactory } from '@nestjs/core';
import { readPresenceConfig } from '#config';
import { runProgram, startHealthServer } from '#core';
import { Database } from '#database';
import { PresenceRuntime } from '#presence';
import { Metrics } from '#telemetry';
import { AppModule } from './app.module.js';

await runProgram('presence', readPresenceConfig, async (config, logger) => {
  const app = await NestFactory.createApplicationContext(AppModule.with(config), {
    logger,
    abortOnError: false,
  });
  const database = app.get(Database);
  const runtime = app.get(PresenceRuntime);
  const checks = [
    { name: 'redis', check: () => runtime.checkRedis() },
    { name: 'postgresql', check: () => database.ping() },
  ];
  await startHealthServer(config.health, checks, app.get(Metrics));
  return app;
});
