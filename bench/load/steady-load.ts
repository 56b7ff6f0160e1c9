import { BenchProcess } from '../processes/bench-process.js';
import type { ProcessPlace } from '../processes/process-place.js';
import type { Reach } from './poll-carrier.js';
import type { Asked, SteadyCrowdPlan, SteadyTally, TimedRun } from './steady-crowd.js';
import type { Extent } from './tally.js';

/** The questions to steady-load.process.ts; the first must be `gather`. */
export type SteadyQuestion =
  | { readonly ask: 'gather'; readonly reach: Reach; readonly plan: SteadyCrowdPlan }
  | { readonly ask: 'signIn' | 'keepOnline' }
  | { readonly ask: 'poll'; readonly connections: number; readonly extent: Extent }
  | { readonly ask: 'pollAtPace'; readonly perSecond: number; readonly seconds: number }
  | { readonly ask: 'pollInTurn'; readonly asked: Asked; readonly seconds: number };

/** Runs a SteadyCrowd in its own process. */
export class SteadyLoad {
  private constructor(private readonly process: BenchProcess<SteadyQuestion>) {}

  static async gather(
    place: ProcessPlace,
    reach: Reach,
    plan: SteadyCrowdPlan,
  ): Promise<SteadyLoad> {
    const process = new BenchProcess<SteadyQuestion>('load/steady-load.process.js', place);
    await process.ask({ ask: 'gather', reach, plan });
    return new SteadyLoad(process);
  }

  /** Must precede polls over HTTP, so that no poll waits for PostgreSQL. */
  signIn(): Promise<void> {
    return this.process.ask({ ask: 'signIn' });
  }

  /** From now on all users report in turn and request no entries, concurrently with other polls. */
  keepOnline(): Promise<void> {
    return this.process.ask({ ask: 'keepOnline' });
  }

  poll(connections: number, extent: Extent): Promise<SteadyTally> {
    return this.process.ask({ ask: 'poll', connections, extent });
  }

  pollAtPace(perSecond: number, seconds: number): Promise<TimedRun> {
    return this.process.ask({ ask: 'pollAtPace', perSecond, seconds });
  }

  pollInTurn(asked: Asked, seconds: number): Promise<TimedRun> {
    return this.process.ask({ ask: 'pollInTurn', asked, seconds });
  }

  stop(): Promise<void> {
    return this.process.stop();
  }
}
