import { readApiGatewayConfig } from '#config';
import { runProgram } from '#core';
import { createApiGateway } from './create-api-gateway.js';

await runProgram('api-gateway', readApiGatewayConfig, async (config, logger) => {
  const app = await createApiGateway(config, logger);
  await app.listen(config.http.port, config.http.host);
  return app;
});
