/** How long a load goes on: for a time, or for a number of requests. */
export interface Extent {
  readonly seconds?: number;
  readonly requests?: number;
}

/** What became of a load. */
export interface Tally {
  readonly requests: number;
  readonly seconds: number;
  /** Presence entries in all answers together. */
  readonly changes: number;
  readonly wrongAnswers: number;
  /** As an example, shortened. */
  readonly firstWrongAnswer: string | null;
}

const EXAMPLE_LENGTH = 400;

/** Counts a load while it goes on; the time runs from its making. */
export class Counts {
  readonly #startedAt = performance.now();
  #requests = 0;
  #changes = 0;
  #wrongAnswers = 0;
  #firstWrongAnswer: string | null = null;

  addRight(changes: number): void {
    this.#requests += 1;
    this.#changes += changes;
  }

  addWrong(example: string): void {
    this.#requests += 1;
    this.#wrongAnswers += 1;
    this.#firstWrongAnswer ??= example.slice(0, EXAMPLE_LENGTH);
  }

  tally(): Tally {
    return {
      requests: this.#requests,
      seconds: (performance.now() - this.#startedAt) / 1000,
      changes: this.#changes,
      wrongAnswers: this.#wrongAnswers,
      firstWrongAnswer: this.#firstWrongAnswer,
    };
  }
}
