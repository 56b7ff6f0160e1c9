import { readPushSandboxConfig } from '#platform/config';
import { listenFault, runProgram } from '#platform/core';
import { createPushSandbox } from './create-push-sandbox.js';

await runProgram('push-sandbox', readPushSandboxConfig, async (config, logger) => {
  const app = await createPushSandbox(config, logger);
  await app.listen(config.port, config.host).catch(listenFault('SANDBOX_HOST', 'SANDBOX_PORT'));
  return app;
});
