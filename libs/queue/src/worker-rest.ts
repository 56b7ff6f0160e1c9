import type { Worker } from 'bullmq';

/** However long it rests, somebody else's work may have come. */
const LONGEST_MS = 60_000;

/** Keeps a worker from taking jobs that cannot be done now: they stay where they are, and are not moved about. */
export class WorkerRest {
  #timer: NodeJS.Timeout | undefined;
  #isEnded = false;

  constructor(private readonly workerOf: () => Worker) {}

  /** Rests until then (UNIX milliseconds), or for a minute if that is sooner. */
  until(time: number): void {
    if (this.#timer !== undefined || this.#isEnded) return;
    void this.workerOf().pause(true);
    this.#timer = setTimeout(() => this.#resume(), Math.min(time - Date.now(), LONGEST_MS));
  }

  /** No rest any more: the worker closes. */
  end(): void {
    this.#isEnded = true;
    clearTimeout(this.#timer);
  }

  #resume(): void {
    this.#timer = undefined;
    this.workerOf().resume();
  }
}
