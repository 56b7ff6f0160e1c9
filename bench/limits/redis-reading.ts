import type { ProcessPlace } from '../processes/process-place.js';
import type { OnlineUser } from '../world/steady-realms.js';
import { LimitServer } from './limit-server.js';

/** The configuration of the design that reads Redis on each poll. */
export interface RedisReadingPlan {
  readonly redisUrl: string;
  readonly users: readonly OnlineUser[];
}

/**
 * Starts a presence service that reads Redis on each poll, behind the same framed transport as the presence program.
 * Only the storage of presence differs. Resolves when the service is ready and these users are online.
 */
export const startRedisReading = (
  place: ProcessPlace,
  plan: RedisReadingPlan,
): Promise<LimitServer> => LimitServer.start(place, 'limits/redis-reading.process.js', plan);
