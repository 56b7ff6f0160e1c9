/** Counts running work, so that a shutdown can wait for its end. */
export class InFlightTracker {
  #count = 0;
  #onIdle: (() => void)[] = [];

  /** Settles as the work does, and counts it until then. */
  run<T>(work: () => Promise<T>): Promise<T> {
    this.#count += 1;
    const result = work();
    result.then(this.#ended, this.#ended);
    return result;
  }

  /** Resolves when no work is running. */
  async idle(): Promise<void> {
    if (this.#count === 0) return;
    await new Promise<void>((resolve) => {
      this.#onIdle.push(resolve);
    });
  }

  readonly #ended = (): void => {
    this.#count -= 1;
    if (this.#count === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
  };
}
