import type { Redis } from 'ioredis';

const MICROSECONDS_PER_MS = 1000;

/** The clock of a server, in UNIX milliseconds. Rejects while it is down. */
export async function redisTime(redis: Redis): Promise<number> {
  const [seconds, microseconds] = await redis.time();
  return Number(seconds) * 1000 + Math.floor(Number(microseconds) / MICROSECONDS_PER_MS);
}
