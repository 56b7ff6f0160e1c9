import { BenchProcess } from '../processes/bench-process.js';
import type { ProcessPlace } from '../processes/process-place.js';
import type { BenchUser } from '../world/bench-world.js';

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
export class PresenceLimit {
  private constructor(
    private readonly process: BenchProcess<PresenceLimitPlan>,
    readonly port: number,
  ) {}

  static async start(place: ProcessPlace, plan: PresenceLimitPlan): Promise<PresenceLimit> {
    const process = new BenchProcess<PresenceLimitPlan>('limits/presence-limit.process.js', place);
    return new PresenceLimit(process, await process.ask(plan));
  }

  get pid(): number {
    return this.process.pid;
  }

  stop(): Promise<void> {
    return this.process.stop();
  }
}
