export type { Redis } from 'ioredis';
export { closeRedis, openRedis, untilReady } from './redis.js';
export { refuseMissingDatabase } from './redis-database.js';
export { REDIS, RedisModule } from './redis.module.js';
export { openRedisServers } from './open-redis-servers.js';
export type { BlockableConnection, RedisCommands, RedisServers } from './redis-servers.js';
