import type { ProcessPlace } from '../processes/process-place.js';
import type { BenchUser } from '../world/bench-world.js';
import { LimitServer } from './limit-server.js';

/** The configuration of the reference server for events. */
export interface EventsLimitPlan {
  readonly users: readonly BenchUser[];
  /** The answer to registrations that ask for the state. */
  readonly state: string;
}

/**
 * The lower bound of the cost on this machine with Node: a plain node:http handler that authenticates from memory, holds
 * polls, and answers them with the event of the next change. It has no store, no second process and no queue that survives.
 */
export const startEventsLimit = (
  place: ProcessPlace,
  plan: EventsLimitPlan,
): Promise<LimitServer> => LimitServer.start(place, 'limits/events-limit.process.js', plan);
