import { BenchProcess } from '../processes/bench-process.js';
import type { ProcessPlace } from '../processes/process-place.js';
import type { EventCrowdPlan, EventRounds } from './event-crowd.js';

/** The questions to event-load.process.ts; the first must be `gather`. */
export type EventQuestion =
  | { readonly ask: 'gather'; readonly plan: EventCrowdPlan }
  | { readonly ask: 'rounds'; readonly count: number }
  | { readonly ask: 'register'; readonly count: number };

/** Runs an EventCrowd in its own process. */
export class EventLoad {
  private constructor(private readonly process: BenchProcess<EventQuestion>) {}

  static async gather(place: ProcessPlace, plan: EventCrowdPlan): Promise<EventLoad> {
    const process = new BenchProcess<EventQuestion>('load/event-load.process.js', place);
    await process.ask({ ask: 'gather', plan });
    return new EventLoad(process);
  }

  /** One change after another, each when all clients wait. */
  rounds(count: number): Promise<EventRounds> {
    return this.process.ask({ ask: 'rounds', count });
  }

  /** Registrations in a second. */
  register(count: number): Promise<number> {
    return this.process.ask({ ask: 'register', count });
  }

  stop(): Promise<void> {
    return this.process.stop();
  }
}
