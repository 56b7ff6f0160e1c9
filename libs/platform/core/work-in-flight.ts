/** The work in flight for each key. */
export class WorkInFlight<Key> {
  readonly #byKey = new Map<Key, Set<Promise<unknown>>>();

  /** Counts as in flight until it has settled; resolves or rejects like the work. */
  async track<Result>(key: Key, work: Promise<Result>): Promise<Result> {
    const works = this.#byKey.get(key) ?? new Set();
    this.#byKey.set(key, works.add(work));
    try {
      return await work;
    } finally {
      works.delete(work);
      if (works.size === 0) this.#byKey.delete(key);
    }
  }

  get isIdle(): boolean {
    return this.#byKey.size === 0;
  }

  /** Resolves when the work that is in flight now for these keys has settled; for all keys when left out. */
  async settled(keys: readonly Key[] = [...this.#byKey.keys()]): Promise<void> {
    await Promise.allSettled(keys.flatMap((key) => [...(this.#byKey.get(key) ?? [])]));
  }
}
