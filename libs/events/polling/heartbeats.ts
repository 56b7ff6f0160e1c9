import { endInTurns, type HeldPoll } from './held-poll.js';

/** A held poll is answered with a heartbeat after 45 to 55 s, because clients wait for 90 s. */
const FIRST_SECOND = 46;
const SECONDS = 9;

/**
 * Ends polls without events, those of the same second together. One by one, each would wake the process and send commands of
 * its own to Redis with its next poll, which takes more CPU time.
 */
export class Heartbeats {
  readonly #due = new Map<number, Set<HeldPoll>>();

  /** Ends a poll in 45 to 55 seconds, unless it is removed from the returned set. */
  add(poll: HeldPoll): Set<HeldPoll> {
    const now = performance.now() / 1000;
    const second = Math.floor(now + FIRST_SECOND + Math.random() * SECONDS);
    let polls = this.#due.get(second);
    if (polls === undefined) {
      polls = new Set();
      this.#due.set(second, polls);
      setTimeout(() => this.#end(second), (second - now) * 1000).unref();
    }
    return polls.add(poll);
  }

  #end(second: number): void {
    const polls = this.#due.get(second) ?? [];
    this.#due.delete(second);
    endInTurns(polls, 'heartbeat');
  }
}
