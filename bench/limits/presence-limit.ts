import type { ProcessPlace } from '../processes/process-place.js';
import type { BenchUser } from '../world/bench-world.js';
import { LimitServer } from './limit-server.js';

/** The configuration of the reference server for presence. */
export interface PresenceLimitPlan {
  readonly redisUrl: string;
  /** A prefix that separates its keys from those of the other scenarios. */
  readonly realm: string;
  readonly users: readonly BenchUser[];
}

/**
 * The lower bound of the cost of a poll on this machine with Node and Redis: a plain node:http handler that
 * authenticates from memory and does everything else with one script call.
 */
export const startPresenceLimit = (
  place: ProcessPlace,
  plan: PresenceLimitPlan,
): Promise<LimitServer> => LimitServer.start(place, 'limits/presence-limit.process.js', plan);
