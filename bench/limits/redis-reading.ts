import type { ProcessPlace } from '../processes/process-place.js';
import type { OnlineUser } from '../world/steady-realms.js';
import { LimitServer } from './limit-server.js';

/** What a design that reads Redis on each poll works on. */
export interface RedisReadingPlan {
  readonly redisUrl: string;
  readonly users: readonly OnlineUser[];
}

/**
 * Presence by a design that reads Redis on each poll, behind the frames that gateways ask ours by: only how
 * presence is kept and read differs. Resolves when it serves and knows these users to be online.
 */
export const startRedisReading = (
  place: ProcessPlace,
  plan: RedisReadingPlan,
): Promise<LimitServer> => LimitServer.start(place, 'limits/redis-reading.process.js', plan);
