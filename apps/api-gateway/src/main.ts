import { readApiGatewayConfig } from '#platform/config';
import { rethrowListenError, runProgram, warnOfLittleMemory } from '#platform/core';
import { refuseMissingDatabases } from '#platform/redis';
import { HEALTH_CHECKS } from './health/health.controller.js';
import { createApiGateway } from './create-api-gateway.js';

/**
 * An idle gateway takes 140 MiB, bodies that arrive and responses that clients have not read up to 256 each (MemoryBudget), and
 * 10,000 held polls 80.
 */
const MEMORY_MIB = { process: 768, heap: 320 };

await runProgram('api-gateway', readApiGatewayConfig, async (config, logger) => {
  warnOfLittleMemory(logger, MEMORY_MIB);
  await refuseMissingDatabases(config);
  const app = await createApiGateway(config, logger);
  await app
    .listen(config.http.port, config.http.host)
    .catch(rethrowListenError({ host: 'HOST', port: 'PORT' }));
  return { app, address: config.http, checks: app.get(HEALTH_CHECKS) };
});
