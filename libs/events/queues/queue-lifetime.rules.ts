import type { EventQueue } from './queue.js';

type Idle = Pick<EventQueue, 'idleSeconds'>;

/** The longest time of a poll in milliseconds, with a reserve for its answer. */
export const LONGEST_POLL_MS = 60_000;

/** Five polls without events. Until then, a poll may continue one that Redis has recorded. */
const LONGEST_CONTINUED_MS = 240_000;

/** PostgreSQL has a later expiry than Redis by at most this, so that a queue with polls is written rarely. */
export const LONGEST_SLACK_SECONDS = 3600;

/** The lifetime of a queue from the beginning of a poll. */
export const exactLifeSeconds = ({ idleSeconds }: Idle): number =>
  idleSeconds + LONGEST_POLL_MS / 1000;

/** The lifetime of a queue in PostgreSQL, and at least that of its state in Redis, after a poll. */
export const storedLifeSeconds = (queue: Idle): number =>
  exactLifeSeconds(queue) + Math.min(queue.idleSeconds, LONGEST_SLACK_SECONDS);

/** The time after the record of a poll in which other polls may continue it, in milliseconds. */
export const continuedMs = ({ idleSeconds }: Idle): number =>
  Math.min(LONGEST_CONTINUED_MS, idleSeconds * 1000);
