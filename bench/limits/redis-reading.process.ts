import { Redis } from 'ioredis';
import { PresenceCounters, PresenceServer } from '#presence';
import { answerParent } from '../processes/answer-parent.js';
import { PRESENCE_SECRET } from '../world/presence-secret.js';
import { RedisReadingPresence } from './redis-reading-presence.js';
import type { RedisReadingPlan } from './redis-reading.js';

answerParent(async ({ redisUrl, users }: RedisReadingPlan) => {
  // Commands of one turn of the event loop go out in one write: the fastest way that ioredis has.
  const redis = new Redis(redisUrl, { enableAutoPipelining: true });
  const presence = await RedisReadingPresence.with(redis, users);
  const server = new PresenceServer(presence, new PresenceCounters(), PRESENCE_SECRET);
  return server.listen({ host: '127.0.0.1', port: 0 });
});
