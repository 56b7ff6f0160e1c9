import { memoryNeeds, readPushWorkerConfig } from '#platform/config';
import { runProgram, warnOfLittleMemory } from '#platform/core';
import { createPushWorker } from './create-push-worker.js';
import { CredentialRotation } from './credential-rotation.js';
import { HealthEndpoint } from './health-endpoint.js';

await runProgram(
  'push-worker',
  readPushWorkerConfig,
  async (config, logger) => {
    warnOfLittleMemory(logger, memoryNeeds['push-worker']);
    const app = await createPushWorker(config, logger);
    return { app, address: config.health, checks: app.get(HealthEndpoint).checks };
  },
  (app) => {
    void app.get(CredentialRotation).reload();
  },
);
