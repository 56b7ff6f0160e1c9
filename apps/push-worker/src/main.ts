import { readPushWorkerConfig } from '#platform/config';
import { runProgram, warnOfLittleMemory } from '#platform/core';
import { createPushWorker } from './create-push-worker.js';
import { CredentialRotation } from './credential-rotation.js';
import { HealthEndpoint } from './health-endpoint.js';

/** A fan-out to 10,000 phones took 470 MiB. */
const MEMORY_MIB = { process: 512, heap: 256 };

await runProgram(
  'push-worker',
  readPushWorkerConfig,
  async (config, logger) => {
    warnOfLittleMemory(logger, MEMORY_MIB);
    const app = await createPushWorker(config, logger);
    return { app, address: config.health, checks: app.get(HealthEndpoint).checks };
  },
  (app) => {
    void app.get(CredentialRotation).reload();
  },
);
