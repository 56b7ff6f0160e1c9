import type { EventQueue } from '#events/queues';
import type { QueueOwner, WindowedEvent } from './windowed-event.js';

/** Why a poll ends. */
export type PollEnd =
  'events' | 'heartbeat' | 'replaced' | 'removed' | 'closed' | 'key' | 'deactivation';

/** A poll that waits for events. */
export interface HeldPoll {
  readonly queue: EventQueue;
  readonly owner: QueueOwner;
  readonly holder: string;
  /** The events for the queue since its last answer. */
  readonly events: WindowedEvent[];
  /** All events up to this position were considered. */
  position: number;
  /** The polls with the same time of the heartbeat, while it is held. */
  due?: Set<HeldPoll>;
  readonly end: (reason: PollEnd) => void;
}
