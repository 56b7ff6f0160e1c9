export type { Redis } from 'ioredis';
export { closeRedis, openRedis, untilReady } from './redis.js';
export { REDIS, RedisModule } from './redis.module.js';
