/**
 * The time that an answer has, in milliseconds. What comes while this process is held up has come in time: it is read
 * before `expire` is called.
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

  /** There is nothing to wait for any more. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }
}
