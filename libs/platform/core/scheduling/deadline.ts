/**
 * A timeout in milliseconds that tolerates a blocked event loop: data that arrived during the block is read before
 * `expire` is called.
 */
export class Deadline {
  readonly #timer: NodeJS.Timeout;
  #isStopped = false;

  constructor(ms: number, expire: () => void) {
    const expireUnlessStopped = () => {
      if (!this.#isStopped) expire();
    };
    this.#timer = setTimeout(() => setImmediate(expireUnlessStopped), ms);
  }

  /** Prevents the call of `expire`. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }
}

/** Settles like `work`, or like `giveUp()` when `work` does not settle in time; see Deadline. */
export function withinDeadline<T>(
  deadlineMs: number,
  work: Promise<T>,
  giveUp: () => T | Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const deadline = new Deadline(deadlineMs, () => resolve(giveUp()));
    work.then(
      (result) => {
        deadline.stop();
        resolve(result);
      },
      (error: unknown) => {
        deadline.stop();
        reject(error);
      },
    );
  });
}
