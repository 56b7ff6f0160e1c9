import { memoryNeeds, readApiGatewayConfig } from '#platform/config';
import { rethrowListenError, runProgram, warnOfLittleMemory } from '#platform/core';
import { refuseMissingDatabases } from '#platform/redis';
import { HEALTH_CHECKS } from './health/health.controller.js';
import { createApiGateway } from './create-api-gateway.js';

await runProgram('api-gateway', readApiGatewayConfig, async (config, logger) => {
  warnOfLittleMemory(logger, memoryNeeds['api-gateway']);
  await refuseMissingDatabases(config);
  const app = await createApiGateway(config, logger);
  const { port, host, connections } = config.http;
  await app
    // After a restart all clients connect at once. With Node's 511 waiting connections a proxy answers many of them with 503.
    .listen({ port, host, backlog: connections.maxConnections })
    .catch(rethrowListenError({ host: 'HOST', port: 'PORT' }));
  return { app, address: config.http, checks: app.get(HEALTH_CHECKS) };
});
