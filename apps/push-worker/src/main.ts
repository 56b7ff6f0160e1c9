import { readPushWorkerConfig } from '#config';
import { runProgram } from '#core';
import { createPushWorker } from './create-push-worker.js';

await runProgram('push-worker', readPushWorkerConfig, createPushWorker);
