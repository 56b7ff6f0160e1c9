import type { EventQueue } from './queue.js';

/** A search that has found no events for a queue. */
interface EmptySearch {
  readonly lastId: number;
  /** Another key may have been replaced by one of the events. */
  readonly keyGeneration: number;
  /** There are no events up to this position. */
  readonly position: number;
}

/** What this gateway knows of the answers of a queue. */
export interface QueueProgress {
  /** The greatest last id of the answers; -1 without an answer. */
  answeredId: number;
  /** The last id of a client that never waits does not advance while there are no events for it. */
  emptySearch: EmptySearch | null;
  /** The number of the newest ephemeral event at the last answer; null without an answer. */
  ephemeral: number | null;
}

/** The progress of a queue that this gateway has not answered. */
export const noProgress = (): QueueProgress => ({
  answeredId: -1,
  emptySearch: null,
  ephemeral: null,
});

/** A poll that has begun. */
export interface BegunPoll {
  readonly queue: EventQueue;
  readonly progress: QueueProgress;
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
