#!/usr/bin/env bash
# ioredis takes a script of `defineCommand` as loaded as soon as it has been written. If Redis discards that transaction, because a watched
# key has changed, the script is not loaded. In each later transaction of the connection the script fails, and the other commands count.
source "$(dirname "${BASH_SOURCE[0]}")/support/setup.bash"
install ioredis@6.0.0
redis
cat >find.mjs <<'JS'
import { Redis } from 'ioredis';
import { seen } from './seen.mjs';

const redis = new Redis({ port: Number(process.env.REDIS_PORT) });
const other = redis.duplicate();
redis.defineCommand('count', { numberOfKeys: 1, lua: "return redis.call('INCR', KEYS[1])" });

/** Optimistic locking: the transaction takes effect only if the device has not changed meanwhile. */
async function attempt(name, meanwhile = async () => {}) {
  await redis.watch('device');
  await meanwhile();
  const results = await redis.multi().set('attempt', name).count('pushes').exec();
  return results?.map(([error, value]) => error?.message ?? value) ?? null;
}

const noScript = 'NOSCRIPT No matching script. Please use EVAL.';
seen('discarded', await attempt('first', () => other.set('device', 'changed')), null);
seen('its repetition', await attempt('second'), ['OK', noScript]);
seen('once more', await attempt('third'), ['OK', noScript]);
seen('what is stored', await redis.mget('attempt', 'pushes'), ['third', null]);
seen('the script without a transaction', await redis.count('pushes'), 1);
seen('a transaction after that', await attempt('fourth'), ['OK', 2]);
process.exit();
JS
node find.mjs
