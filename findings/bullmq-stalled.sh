#!/usr/bin/env bash
# A job of BullMQ whose workers were killed twice has failed for good, although nine of its ten attempts are left: kills do not count as
# attempts, and `attempts` does not count for kills.
source "$(dirname "${BASH_SOURCE[0]}")/support/setup.bash"
install bullmq@6.7.0 ioredis@6.0.0
redis
cat >worker.mjs <<'JS'
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';

const connection = new Redis({ port: Number(process.env.REDIS_PORT), maxRetriesPerRequest: null });
const options = { connection, lockDuration: 1000, stalledInterval: 1000 };
// A deployment comes in the middle of the job.
new Worker('push', async () => process.kill(process.pid, 'SIGKILL'), options);
JS
cat >find.mjs <<'JS'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { seen } from './seen.mjs';

const connection = new Redis({ port: Number(process.env.REDIS_PORT), maxRetriesPerRequest: null });
const queue = new Queue('push', { connection });
const { id } = await queue.add('send', {}, { attempts: 10 });
for (let kill = 0; kill < 2; kill += 1) {
  await once(spawn(process.execPath, ['worker.mjs']), 'exit');
}
let runs = 0;
const worker = new Worker('push', async () => (runs += 1), { connection, lockDuration: 1000, stalledInterval: 1000 });
while (!['failed', 'completed'].includes(await queue.getJobState(id))) await delay(200);
const job = await queue.getJob(id);
seen('state', await job.getState(), 'failed');
seen('reason', job.failedReason, 'job stalled more than allowable limit');
seen('runs of a worker that was not killed', runs, 0);
seen('attempts made of ten', job.attemptsMade, 1);
await worker.close();
process.exit();
JS
node find.mjs
