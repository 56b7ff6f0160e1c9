/** What has begun and not ended, so that whoever closes can wait for it. */
export class UnderWay {
  #count = 0;
  #onQuiet: (() => void)[] = [];

  /** Hands on what becomes of the work, and counts it until then. */
  run<T>(work: () => Promise<T>): Promise<T> {
    this.#count += 1;
    const result = work();
    result.then(this.#left, this.#left);
    return result;
  }

  /** Resolves when nothing is under way. */
  async end(): Promise<void> {
    if (this.#count === 0) return;
    await new Promise<void>((resolve) => {
      this.#onQuiet.push(resolve);
    });
  }

  readonly #left = (): void => {
    this.#count -= 1;
    if (this.#count === 0) for (const resolve of this.#onQuiet.splice(0)) resolve();
  };
}
