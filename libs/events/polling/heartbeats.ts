import { endInTurns, type HeldPoll } from './held-poll.js';

/** A held poll is answered with a heartbeat after 45 to 55 s, because clients wait for 90 s. */
const FIRST_SECOND = 46;
const SECONDS = 9;

/**
 * Ends polls without events, those of the same second together. One by one, each would wake the process and send commands of
 * its own to Redis with its next poll, which takes more CPU time. The polls of a second are found among all: looking at ten
 * thousand takes less than a millisecond, and a set for each second would change with every poll.
 */
export class Heartbeats {
  /** The seconds with a timer. */
  readonly #seconds = new Set<number>();

  /** `polls` returns all held polls. */
  constructor(private readonly polls: () => Iterable<HeldPoll>) {}

  /** The second in which a poll that is held now ends: in 45 to 55 seconds. */
  nextDue(): number {
    const now = performance.now() / 1000;
    // Rounded down to a whole second, so that 46 seconds become 45 at least.
    const second = Math.floor(now + FIRST_SECOND + Math.random() * SECONDS);
    if (!this.#seconds.has(second)) {
      this.#seconds.add(second);
      setTimeout(() => this.#end(second), (second - now) * 1000).unref();
    }
    return second;
  }

  #end(second: number): void {
    this.#seconds.delete(second);
    const due: HeldPoll[] = [];
    for (const poll of this.polls()) if (poll.due === second) due.push(poll);
    endInTurns(due, 'heartbeat');
  }
}
