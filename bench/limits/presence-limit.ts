import type { ProcessPlace } from '../processes/process-place.js';
import type { BenchUser } from '../world/bench-world.js';
import { LimitServer } from './limit-server.js';

/** What the limit of presence works on. */
export interface PresenceLimitPlan {
  readonly redisUrl: string;
  /** Distinguishes its keys from those of the other scenarios. */
  readonly realm: string;
  readonly users: readonly BenchUser[];
}

/**
 * The least that a poll can cost on this machine with Node and Redis: a bare node:http handler that
 * signs in from memory and has everything else done by one script call.
 */
export const startPresenceLimit = (
  place: ProcessPlace,
  plan: PresenceLimitPlan,
): Promise<LimitServer> => LimitServer.start(place, 'limits/presence-limit.process.js', plan);
