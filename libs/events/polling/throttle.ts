/** Changes that belong together usually happen within this time. */
const PAUSE_MS = 20;

/**
 * Runs a task for a key at once, and calls during the next 20 ms together at their end. A change after a pause does not
 * wait, and a stream of changes causes 50 runs in a second. `batched` does not fit: the calls have no results.
 */
export class Throttle<Key> {
  /** The keys whose tasks ran in the last 20 ms, and whether they were called since. */
  readonly #paused = new Map<Key, boolean>();

  constructor(private readonly run: (key: Key) => void) {}

  /** Runs the task for a key: now, or at the end of the pause after its last run. */
  call(key: Key): void {
    if (this.#paused.has(key)) this.#paused.set(key, true);
    else this.#start(key);
  }

  #start(key: Key): void {
    this.#paused.set(key, false);
    setTimeout(() => {
      const isCalled = this.#paused.get(key) === true;
      if (isCalled) this.#start(key);
      else this.#paused.delete(key);
    }, PAUSE_MS);
    this.run(key);
  }
}
