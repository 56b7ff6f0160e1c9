import type { HeldPoll, PollEnd } from './held-poll.js';

/** Answers, or beginnings of polls, of one turn of the event loop. */
const POLLS_PER_TURN = 100;

/** Polls that end together. */
interface Ending {
  readonly left: Iterator<HeldPoll>;
  readonly reason: PollEnd;
  readonly onEnded: () => void;
}

/**
 * Divides the answers of many polls among turns of the event loop, which leaves it to other requests in between. A client
 * polls again as soon as it has its answer: such polls begin after all answers, so that no client waits for the next poll
 * of another one.
 */
export class PollTurns {
  readonly #endings: Ending[] = [];
  #beginnings: (() => void)[] = [];
  #isRunning = false;

  /** Ends polls, the first of them at once. A poll that has ended meanwhile is not answered again. */
  end(polls: Iterable<HeldPoll>, reason: PollEnd, onEnded: () => void = () => undefined): void {
    this.#endings.push({ left: polls[Symbol.iterator](), reason, onEnded });
    if (!this.#isRunning) this.#run();
  }

  /** Resolves when a new poll may begin; null if it may begin at once. */
  turn(): Promise<void> | null {
    if (!this.#isRunning) return null;
    return new Promise((resolve) => this.#beginnings.push(resolve));
  }

  #run(): void {
    this.#isRunning = this.#endings.length > 0 || this.#beginnings.length > 0;
    if (!this.#isRunning) return;
    if (this.#endings.length > 0) this.#endSome();
    else for (const begin of this.#beginnings.splice(0, POLLS_PER_TURN)) begin();
    setImmediate(() => this.#run());
  }

  #endSome(): void {
    for (let ended = 0; ended < POLLS_PER_TURN; ended += 1) {
      const [ending] = this.#endings;
      if (ending === undefined) return;
      const { value, done } = ending.left.next();
      if (done === true) {
        this.#endings.shift();
        ending.onEnded();
      } else value.end(ending.reason);
    }
  }
}
