import type { EventQueue } from './queue.js';

/** A poll that has begun. */
export interface BegunPoll {
  readonly queue: EventQueue;
  /** The last event id that the client has; the start of the queue for a client with none. */
  readonly lastId: number;
  /** Names the poll and its gateway; a poll that continues another one has the same id. */
  readonly pollId: string;
  /** The cursor of the acknowledged transient events; null if it is unknown. */
  readonly cursor: number | null;
  /**
   * When Redis recorded the poll, or the one that it continues, in milliseconds of `performance.now()`. Null while Redis is
   * down: then the poll gets no transient events, since they cannot be recorded.
   */
  readonly recordedAt: number | null;
}

/** What a client has after the answer of a poll. */
export interface Answered {
  /** The last event id. */
  readonly lastId: number;
  /** The cursor of the transient events; null if it is unknown. */
  readonly cursor: number | null;
}
