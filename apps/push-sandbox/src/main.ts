import { readPushSandboxConfig } from '#platform/config';
import { rethrowListenError, runProgram } from '#platform/core';
import { createPushSandbox } from './create-push-sandbox.js';

await runProgram('push-sandbox', readPushSandboxConfig, async (config, logger) => {
  const app = await createPushSandbox(config, logger);
  await app
    .listen(config.port, config.host)
    .catch(rethrowListenError({ host: 'SANDBOX_HOST', port: 'SANDBOX_PORT' }));
  return { app, address: config, checks: [] };
});
