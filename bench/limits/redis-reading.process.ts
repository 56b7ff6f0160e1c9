import { Redis } from 'ioredis';
import { PresenceCounters } from '#presence/metrics';
import { PresenceServer } from '#presence/server';
import { answerParent } from '../processes/answer-parent.js';
import { PRESENCE_SECRET } from '../world/presence-secret.js';
import type { RedisReadingPlan } from './redis-reading.js';
import { RedisReadingPresence } from './redis-reading-presence.js';

answerParent(async ({ redisUrl, users }: RedisReadingPlan) => {
  // Pipelines the commands of one turn of the event loop in one write, which is the fastest mode of ioredis.
  const redis = new Redis(redisUrl, { enableAutoPipelining: true });
  const presence = await RedisReadingPresence.with(redis, users);
  const server = new PresenceServer(presence, new PresenceCounters(), PRESENCE_SECRET);
  return server.listen({ host: '127.0.0.1', port: 0 });
});
