import { type Indexed, TransientSet } from '../collections/transient-set.js';

interface Work<Key> extends Indexed {
  readonly promise: Promise<unknown>;
  readonly keys: readonly Key[];
}

/** The work in flight, each with its keys. */
export class WorkInFlight<Key = never> {
  readonly #works = new TransientSet<Work<Key>>();

  /** Counts as in flight until it has settled. Returns the same promise. */
  track<Result>(promise: Promise<Result>, keys: readonly Key[] = []): Promise<Result> {
    const work = { promise, keys, index: 0 };
    this.#works.add(work);
    const end = () => this.#works.delete(work);
    promise.then(end, end);
    return promise;
  }

  get isIdle(): boolean {
    return this.#works.size === 0;
  }

  /** Resolves when the work that is in flight now has settled; if keys are given, only the work with one of them. */
  async settled(keys?: readonly Key[]): Promise<void> {
    const wanted = keys && new Set(keys);
    const due = [...this.#works].filter(
      (work) => !wanted || work.keys.some((key) => wanted.has(key)),
    );
    await Promise.allSettled(due.map(({ promise }) => promise));
  }
}
