#!/usr/bin/env bash
# With `enableAutoPipelining`, ioredis holds commands back until the end of the turn of the event loop, but not MULTI: a transaction
# overtakes the commands that were given before it. What it cancels, they store afterwards.
source "$(dirname "${BASH_SOURCE[0]}")/support/setup.bash"
install ioredis@6.0.0
redis
cat >find.mjs <<'JS'
import { Redis } from 'ioredis';
import { seen } from './seen.mjs';

async function run(options) {
  const redis = new Redis({ port: Number(process.env.REDIS_PORT), ...options });
  await redis.flushall();
  const scheduled = redis.set('push', 'scheduled');
  const cancelled = redis.multi().get('push').del('push').exec();
  const last = redis.get('push');
  await Promise.all([scheduled, cancelled, last]);
  const [[, found], [, removed]] = await cancelled;
  return { found, removed, left: await last };
}

seen('in order', await run({}), { found: 'scheduled', removed: 1, left: null });
seen('with auto pipelining', await run({ enableAutoPipelining: true }), { found: null, removed: 0, left: 'scheduled' });
process.exit();
JS
node find.mjs
