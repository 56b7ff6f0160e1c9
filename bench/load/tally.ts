/** The length of a load: a duration or a number of requests. */
export interface Extent {
  readonly seconds?: number;
  readonly requests?: number;
}

/** The result of a load. */
export interface Tally {
  readonly requests: number;
  readonly seconds: number;
  /** The number of presence entries in all responses. */
  readonly changes: number;
  readonly wrongAnswers: number;
  /** The first wrong response, shortened. */
  readonly firstWrongAnswer: string | null;
}

const EXAMPLE_LENGTH = 400;

/** Counts the responses of a load; the time starts with the construction. */
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
