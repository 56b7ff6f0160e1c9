const EVERY_MS = 60_000;

/** Keeps events that repeat from filling the log: lets one pass in each period, with the number of those before it. */
export class Sampler {
  #held = 0;
  #quietUntil = 0;

  constructor(private readonly everyMs = EVERY_MS) {}

  /** How many events the line stands for, this one included; null when no line is to be written. */
  take(now: number = performance.now()): number | null {
    this.#held += 1;
    if (now < this.#quietUntil) return null;
    const count = this.#held;
    this.#held = 0;
    this.#quietUntil = now + this.everyMs;
    return count;
  }
}
