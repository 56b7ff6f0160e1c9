/** Changes that belong together usually happen within this time. */
const GATHER_MS = 20;

/**
 * Runs a task 20 ms after the first of several calls for the same key, so that they share one run. `batched` does not fit:
 * the calls have no results.
 */
export class Gathering<Key> {
  readonly #keys = new Set<Key>();

  constructor(private readonly run: (key: Key) => void) {}

  start(key: Key): void {
    if (this.#keys.has(key)) return;
    this.#keys.add(key);
    setTimeout(() => {
      this.#keys.delete(key);
      this.run(key);
    }, GATHER_MS);
  }
}
