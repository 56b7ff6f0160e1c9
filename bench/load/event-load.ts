import { BenchProcess } from '../processes/bench-process.js';
import type { ProcessPlace } from '../processes/process-place.js';
import type { EventCrowdPlan, EventRounds, MessageLags, MessagePlan } from './event-crowd.js';

/** The questions to event-load.process.ts; the first must be `gather`. */
export type EventQuestion =
  | { readonly ask: 'gather'; readonly plan: EventCrowdPlan }
  | { readonly ask: 'rounds' | 'stream'; readonly count: number }
  | { readonly ask: 'hold' }
  | { readonly ask: 'messages'; readonly messages: MessagePlan }
  | { readonly ask: 'register'; readonly count: number; readonly connections: number };

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

  /** One change after another, each as soon as all clients have the previous one. */
  stream(count: number): Promise<EventRounds> {
    return this.process.ask({ ask: 'stream', count });
  }

  /** Resolves when all clients wait; they poll again after each answer. */
  hold(): Promise<void> {
    return this.process.ask({ ask: 'hold' });
  }

  /** Messages while all clients poll; the last question. */
  messages(messages: MessagePlan): Promise<MessageLags> {
    return this.process.ask({ ask: 'messages', messages });
  }

  /** Registrations in a second, over this number of connections. */
  register(count: number, connections: number): Promise<number> {
    return this.process.ask({ ask: 'register', count, connections });
  }

  stop(): Promise<void> {
    return this.process.stop();
  }
}
