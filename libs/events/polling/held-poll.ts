import type { Caller } from '#platform/contracts';
import type { LinkSpan } from '#platform/telemetry';
import type { TransientChanges } from '#events/declarations';
import type { BegunPoll, EventQueue } from '#events/queues';
import type { EventWindow } from './event-window.js';
import type { QueueOwner, WindowedEvent } from './windowed-event.js';

/** A poll whose request has no answer yet. */
export interface PendingPoll extends BegunPoll {
  readonly caller: Caller;
  readonly isImmediate: boolean;
  /** Links the span of the request to those of the changes in its answer; null without tracing. */
  readonly link: LinkSpan | null;
  readonly owner: QueueOwner;
}

/** Why a poll ends. */
export type PollEndReason =
  'events' | 'heartbeat' | 'replaced' | 'removed' | 'closed' | 'key' | 'deactivation';

/** Receives the answer of a poll. */
export interface PollClient {
  /** Sends the JSON texts of events, or the error of the rejection. */
  send(texts: Promise<string[]>): void;
  /** Calls back when the connection is closed. */
  onClosed(listener: () => void): void;
}

/** Answers a poll that has ended, with transient events if they were read before. */
export type OnHeldPollEnded = (
  poll: HeldPoll,
  client: PollClient,
  reason: PollEndReason,
  changes?: TransientChanges,
) => void;

/** A poll that waits for events. */
export class HeldPoll {
  /** The events for the queue since its last answer. */
  readonly events: WindowedEvent[] = [];
  /** All events up to this position were considered. */
  position: number;
  /** The second of its heartbeat, once it is held. */
  due: number | null = null;
  /** Null after the end: V8 keeps replaced tables of maps and sets until a full collection, and they must not keep the request. */
  #client: PollClient | null;

  constructor(
    readonly begun: PendingPoll,
    readonly window: EventWindow,
    client: PollClient,
    private readonly onEnd: OnHeldPollEnded,
  ) {
    this.position = window.headPosition;
    this.#client = client;
  }

  get queue(): EventQueue {
    return this.begun.queue;
  }

  get owner(): QueueOwner {
    return this.begun.owner;
  }

  /** Answers the poll once. */
  end(reason: PollEndReason, changes?: TransientChanges): void {
    const client = this.#client;
    if (client === null) return;
    this.#client = null;
    this.onEnd(this, client, reason, changes);
  }

  /** Answers the poll with transient events. */
  wake(changes: TransientChanges): void {
    this.end('events', changes);
  }
}

/** Answers of one turn of the event loop. */
const ANSWERS_PER_TURN = 100;

/** Ends polls, and leaves the event loop to other requests in between. A poll that has ended meanwhile is not answered again. */
export function endInTurns(
  polls: Iterable<HeldPoll>,
  reason: PollEndReason,
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
