import { readPushWorkerConfig } from '#platform/config';
import { runProgram } from '#platform/core';
import { createPushWorker } from './create-push-worker.js';
import { CredentialRotation } from './credential-rotation.js';

await runProgram('push-worker', readPushWorkerConfig, createPushWorker, (app) => {
  void app.get(CredentialRotation).reload();
});
