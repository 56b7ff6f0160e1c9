/** The work in flight, each with its keys. */
export class WorkInFlight<Key = never> {
  readonly #works = new Map<Promise<unknown>, readonly Key[]>();

  /** Counts as in flight until it has settled. Returns the same promise. */
  track<Result>(work: Promise<Result>, keys: readonly Key[] = []): Promise<Result> {
    this.#works.set(work, keys);
    const end = () => this.#works.delete(work);
    work.then(end, end);
    return work;
  }

  get isIdle(): boolean {
    return this.#works.size === 0;
  }

  /** Resolves when the work that is in flight now has settled; if keys are given, only the work with one of them. */
  async settled(keys?: readonly Key[]): Promise<void> {
    const wanted = keys && new Set(keys);
    const due = [...this.#works].filter(([, own]) => !wanted || own.some((key) => wanted.has(key)));
    await Promise.allSettled(due.map(([work]) => work));
  }
}
