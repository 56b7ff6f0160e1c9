export { LuaScript } from './lua-script.js';
export { PubSub, type Subscription, type Topic } from './pub-sub.js';
export { UnreadableMessages } from './unreadable-messages.js';
export type { Redis } from 'ioredis';
export {
  closeRedis,
  MAX_RECONNECT_MS,
  openRedis,
  orOutage,
  reconnectDelayMs,
  refuseMissingDatabase,
  refuseMissingDatabases,
  tlsOf,
  untilReady,
} from './redis.js';
export { pipelineResults } from './pipeline-results.js';
export { readRedisFacts, type RedisFacts, type RedisUse } from './redis-facts.js';
export { ReportStore } from './report-store.js';
export { REDIS, RedisModule } from './redis.module.js';
export {
  type BlockingConnection,
  openRedisServers,
  type RedisCommands,
  type RedisServers,
} from './redis-servers.js';
export {
  openQueueingRedisOrCluster,
  openRedisOrCluster,
  type RedisOrCluster,
} from './redis-cluster.js';
