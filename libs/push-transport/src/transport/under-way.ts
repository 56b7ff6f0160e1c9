/** What has begun and not ended, so that whoever closes can wait for it. */
export class UnderWay {
  #count = 0;
  #onQuiet: (() => void)[] = [];

  async run<T>(work: () => Promise<T>): Promise<T> {
    this.#count += 1;
    try {
      return await work();
    } finally {
      this.#count -= 1;
      if (this.#count === 0) for (const resolve of this.#onQuiet.splice(0)) resolve();
    }
  }

  /** Resolves when nothing is under way. */
  async end(): Promise<void> {
    if (this.#count === 0) return;
    await new Promise<void>((resolve) => {
      this.#onQuiet.push(resolve);
    });
  }
}
