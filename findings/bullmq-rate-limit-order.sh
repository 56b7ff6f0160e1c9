#!/usr/bin/env bash
# BullMQ puts each job that throws its RateLimitError back to the front of the queue. Several that ran at a time come back in reverse order:
# of two pushes that replace each other on a phone, the older one is sent last. With a priority the order stays.
source "$(dirname "${BASH_SOURCE[0]}")/support/setup.bash"
install bullmq@6.7.0 ioredis@6.0.0
redis
cat >find.mjs <<'JS'
import { setTimeout as delay } from 'node:timers/promises';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { seen } from './seen.mjs';

const AT_A_TIME = 3;
const LIMIT_MS = 2000;
const connection = new Redis({ port: Number(process.env.REDIS_PORT), maxRetriesPerRequest: null });

/** The order in which jobs start before and after the answer 429, which all three that run at that time get, one after another. */
async function starts(name, options) {
  const queue = new Queue(name, { connection });
  await queue.addBulk([1, 2, 3, 4, 5].map((data) => ({ name: 'send', data, opts: options })));
  const before = [];
  const after = [];
  const send = async ({ data }) => {
    if (before.length === AT_A_TIME) {
      after.push(data);
      return;
    }
    before.push(data);
    while (before.length < AT_A_TIME) await delay(10);
    await delay(200 * data);
    await queue.rateLimit(LIMIT_MS);
    throw Worker.RateLimitError();
  };
  const worker = new Worker(name, send, {
    connection,
    concurrency: AT_A_TIME,
    limiter: { max: 1000, duration: 1000 },
  });
  while (after.length < 5) await delay(50);
  await worker.close();
  return { before, after };
}

seen('without a priority', await starts('plain', {}), { before: [1, 2, 3], after: [3, 2, 1, 4, 5] });
seen('with a priority', await starts('prioritized', { priority: 1 }), { before: [1, 2, 3], after: [1, 2, 3, 4, 5] });
process.exit();
JS
node find.mjs
