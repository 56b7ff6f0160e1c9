import type { TransientChanges } from '#events/declarations';
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
  /** The second of its heartbeat, once it is held. */
  due: number | null;
  /**
   * Answers the poll, with transient events if they were read before. Replaced by `endNothing` afterwards: V8 keeps replaced
   * tables of maps and sets until a full collection, and they must not keep the request.
   */
  end: (reason: PollEnd, changes?: TransientChanges) => void;
}

/** The end of a poll that has ended. */
export const endNothing = (): void => undefined;

/** Answers of one turn of the event loop. */
const ANSWERS_PER_TURN = 100;

/** Ends polls, and leaves the event loop to other requests in between. A poll that has ended meanwhile is not answered again. */
export function endInTurns(
  polls: Iterable<HeldPoll>,
  reason: PollEnd,
  onEnded: () => void = () => undefined,
): void {
  const left = polls[Symbol.iterator]();
  const turn = (): void => {
    for (let answered = 0; answered < ANSWERS_PER_TURN; answered += 1) {
      const { value, done } = left.next();
      if (done === true) return onEnded();
      value.end(reason);
    }
    setImmediate(turn);
  };
  turn();
}
