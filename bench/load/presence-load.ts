import { BenchProcess } from '../processes/bench-process.js';
import type { ProcessPlace } from '../processes/process-place.js';
import type { CrowdPlan } from './presence-crowd.js';
import type { Extent, Tally } from './tally.js';

/** The questions to presence-load.process.ts; the first must be `gather`. */
export type PresenceQuestion =
  | { readonly ask: 'gather'; readonly plan: CrowdPlan }
  | { readonly ask: 'signIn' | 'prime' | 'countSkippedChanges' }
  | { readonly ask: 'poll'; readonly connections: number; readonly extent: Extent };

/** Runs a PresenceCrowd in its own process. */
export class PresenceLoad {
  private constructor(private readonly process: BenchProcess<PresenceQuestion>) {}

  static async gather(place: ProcessPlace, plan: CrowdPlan): Promise<PresenceLoad> {
    const process = new BenchProcess<PresenceQuestion>('load/presence-load.process.js', place);
    await process.ask({ ask: 'gather', plan });
    return new PresenceLoad(process);
  }

  signIn(): Promise<void> {
    return this.process.ask({ ask: 'signIn' });
  }

  prime(): Promise<void> {
    return this.process.ask({ ask: 'prime' });
  }

  poll(connections: number, extent: Extent): Promise<Tally> {
    return this.process.ask({ ask: 'poll', connections, extent });
  }

  countSkippedChanges(): Promise<number> {
    return this.process.ask({ ask: 'countSkippedChanges' });
  }

  stop(): Promise<void> {
    return this.process.stop();
  }
}
