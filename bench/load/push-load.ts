import { BenchProcess } from '../processes/bench-process.js';
import type { ProcessPlace } from '../processes/process-place.js';
import type { PushPlan } from './push-crowd.js';
import type { Tally } from './tally.js';

/** What push-load.process.ts is asked; first to gather. */
export type PushQuestion =
  | { readonly ask: 'gather'; readonly plan: PushPlan }
  | { readonly ask: 'register'; readonly tokens: readonly string[] }
  | {
      readonly ask: 'send' | 'ask';
      readonly connections: number;
      readonly notifications: number;
    };

/** A PushCrowd in a process of its own. */
export class PushLoad {
  private constructor(private readonly process: BenchProcess<PushQuestion>) {}

  static async gather(place: ProcessPlace, plan: PushPlan): Promise<PushLoad> {
    const process = new BenchProcess<PushQuestion>('load/push-load.process.js', place);
    await process.ask({ ask: 'gather', plan });
    return new PushLoad(process);
  }

  /** Registers one iPhone for each user. */
  register(tokens: readonly string[]): Promise<void> {
    return this.process.ask({ ask: 'register', tokens });
  }

  /** Resolves when all have arrived. */
  send(connections: number, notifications: number): Promise<Tally> {
    return this.process.ask({ ask: 'send', connections, notifications });
  }

  /** Resolves when all were answered. */
  ask(connections: number, notifications: number): Promise<Tally> {
    return this.process.ask({ ask: 'ask', connections, notifications });
  }

  /** Sends each only when the one before has arrived. */
  async sendSingly(notifications: number): Promise<{ requests: number }> {
    for (let sent = 0; sent < notifications; sent += 1) await this.send(1, 1);
    return { requests: notifications };
  }

  stop(): Promise<void> {
    return this.process.stop();
  }
}
