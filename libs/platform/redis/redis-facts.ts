import type { Redis } from 'ioredis';
import { errorText } from '#platform/core';
import { redisTime } from './redis-time.js';
import { closeRedis, openRedis, untilReady } from './redis.js';

/** The facts that a Redis server reports about itself. */
export interface RedisFacts {
  readonly version: string;
  readonly now: Date;
  /** A replica refuses writes. */
  readonly role: string;
  readonly evictionPolicy: string;
  readonly usedBytes: number;
  /** 0: no limit. */
  readonly maxBytes: number;
  readonly hasAppendOnlyFile: boolean;
  /** The last write of the data to the disk succeeded, or none was made. */
  readonly isPersisted: boolean;
  /** What the user of the address may not use, in words. */
  readonly refused: readonly string[];
}

/** The keys and channels of programs, by their first characters. */
export interface RedisUse {
  readonly prefixes?: readonly string[];
  readonly channels?: readonly string[];
}

const READY_DEADLINE_MS = 3000;

/**
 * Asks the server at `url`, and tries what the user may do with keys that begin with these texts, and with channels. Rejects
 * if the server does not answer within three seconds or refuses the password.
 */
export async function readRedisFacts(
  url: string,
  { prefixes = [], channels = [] }: RedisUse = {},
): Promise<RedisFacts> {
  const redis = openRedis(url, 'doctor');
  let reason: Error | undefined;
  redis.on('error', (error: Error) => {
    reason = error;
  });
  try {
    await untilReady(redis, READY_DEADLINE_MS);
    const [info, now] = await Promise.all([redis.info(), redisTime(redis)]);
    const refused = await refusals([
      ...prefixes.map(
        (prefix) => [`scripts that write keys ${prefix}*`, tryKey(redis, prefix)] as const,
      ),
      ...channels.map(
        (prefix) => [`channels ${prefix}*`, redis.publish(`${prefix}doctor`, '')] as const,
      ),
    ]);
    return { ...factsIn(info), now: new Date(now), refused };
  } catch (error) {
    // "does not answer" says less than the refusal of the server.
    throw reason ?? error;
  } finally {
    await closeRedis(redis);
  }
}

/** A key that expires at once. */
const tryKey = (redis: Redis, prefix: string): Promise<unknown> =>
  redis.eval(`return redis.call('set', KEYS[1], '', 'PX', 1)`, 1, `${prefix}doctor`);

/** What the server refuses to this user. Other errors, such as those of a replica or a full server, are found elsewhere. */
async function refusals(
  attempts: readonly (readonly [what: string, attempt: Promise<unknown>])[],
): Promise<string[]> {
  const results = await Promise.allSettled(attempts.map(([, attempt]) => attempt));
  return attempts.flatMap(([what], index) => {
    const result = results[index];
    const isRefused = result?.status === 'rejected' && REFUSAL.test(errorText(result.reason));
    return isRefused ? [what] : [];
  });
}

/** A command of the client, and one in a script. */
const REFUSAL = /NOPERM|ACL failure|can't run this command/;

/** The facts in the answer of INFO. */
function factsIn(info: string): Omit<RedisFacts, 'now' | 'refused'> {
  const lines = info.split(/\r?\n/).map((line) => line.split(':', 2));
  const values = new Map(lines.map(([name = '', value = '']) => [name, value]));
  const value = (name: string) => values.get(name) ?? '';
  return {
    version: value('redis_version'),
    role: value('role'),
    evictionPolicy: value('maxmemory_policy'),
    usedBytes: Number(value('used_memory')),
    maxBytes: Number(value('maxmemory')),
    hasAppendOnlyFile: value('aof_enabled') === '1',
    isPersisted:
      value('rdb_last_bgsave_status') !== 'err' && value('aof_last_write_status') !== 'err',
  };
}
