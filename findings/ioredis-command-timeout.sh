#!/usr/bin/env bash
# ioredis applies `commandTimeout` to a blocking read too: BLPOP rejects, but Redis still waits for an element. The next element goes
# to nobody, although `blockingTimeout` says how long such a command may take.
source "$(dirname "${BASH_SOURCE[0]}")/support/setup.bash"
install ioredis@6.0.0
redis
cat >find.mjs <<'JS'
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { seen } from './seen.mjs';

const port = Number(process.env.REDIS_PORT);
const reader = new Redis({ port, commandTimeout: 500, blockingTimeout: 10_000 });
const writer = new Redis({ port });
const outcome = await reader.blpop('list', 5).then(
  (element) => element,
  (error) => error.message,
);
seen('BLPOP of five seconds', outcome, 'Command timed out');
await writer.rpush('list', 'a push');
await delay(300);
seen('elements of the list after one was added', await writer.llen('list'), 0);
process.exit();
JS
node find.mjs
