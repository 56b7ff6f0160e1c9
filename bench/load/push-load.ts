import { BenchProcess } from '../processes/bench-process.js';
import type { ProcessPlace } from '../processes/process-place.js';
import type { PushPlan } from './push-crowd.js';
import type { Tally } from './tally.js';

/** The questions to push-load.process.ts; the first must be `gather`. */
export type PushQuestion =
  | { readonly ask: 'gather'; readonly plan: PushPlan }
  | { readonly ask: 'register'; readonly tokens: readonly string[] }
  | {
      readonly ask: 'send' | 'ask';
      readonly connections: number;
      readonly notifications: number;
    };

/** Runs a PushCrowd in its own process. */
export class PushLoad {
  private constructor(private readonly process: BenchProcess<PushQuestion>) {}

  static async gather(place: ProcessPlace, plan: PushPlan): Promise<PushLoad> {
    const process = new BenchProcess<PushQuestion>('load/push-load.process.js', place);
    await process.ask({ ask: 'gather', plan });
    return new PushLoad(process);
  }

  /** Registers one iPhone per user. */
  register(tokens: readonly string[]): Promise<void> {
    return this.process.ask({ ask: 'register', tokens });
  }

  /** Resolves when all notifications have arrived. */
  send(connections: number, notifications: number): Promise<Tally> {
    return this.process.ask({ ask: 'send', connections, notifications });
  }

  /** Resolves when all requests have been answered. */
  ask(connections: number, notifications: number): Promise<Tally> {
    return this.process.ask({ ask: 'ask', connections, notifications });
  }

  /** Sends one notification at a time and waits for its arrival before the next. */
  async sendSingly(notifications: number): Promise<{ requests: number }> {
    for (let sent = 0; sent < notifications; sent += 1) await this.send(1, 1);
    return { requests: notifications };
  }

  stop(): Promise<void> {
    return this.process.stop();
  }
}
