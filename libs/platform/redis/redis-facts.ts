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
}

const READY_DEADLINE_MS = 3000;
const MICROSECONDS_PER_MS = 1000;

/** Asks the server at `url`; rejects if it does not answer within three seconds or refuses the password. */
export async function readRedisFacts(url: string): Promise<RedisFacts> {
  const redis = openRedis(url, 'doctor');
  let reason: Error | undefined;
  redis.on('error', (error: Error) => {
    reason = error;
  });
  try {
    await untilReady(redis, READY_DEADLINE_MS);
    const [info, [seconds, microseconds]] = await Promise.all([redis.info(), redis.time()]);
    const now = Number(seconds) * 1000 + Number(microseconds) / MICROSECONDS_PER_MS;
    return { ...factsIn(info), now: new Date(now) };
  } catch (error) {
    // "does not answer" says less than the refusal of the server.
    throw reason ?? error;
  } finally {
    await closeRedis(redis);
  }
}

/** The facts in the answer of INFO. */
function factsIn(info: string): Omit<RedisFacts, 'now'> {
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
