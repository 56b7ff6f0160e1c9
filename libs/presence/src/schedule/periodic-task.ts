/** Each period is drawn from this much around its length: tasks of many processes must not align. */
const JITTER = 0.2;

/** Runs a task again and again, one run at a time, with about `periodMs` between the runs. */
export class PeriodicTask {
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #isStopped = false;

  /** The task must not reject: whoever owns it knows what its failure means. */
  constructor(
    private readonly periodMs: number,
    private readonly task: () => Promise<void>,
  ) {}

  start(): void {
    if (this.#isStopped) return;
    const waitMs = this.periodMs * (1 - JITTER + Math.random() * 2 * JITTER);
    this.#timer = setTimeout(() => {
      this.#running = this.task().finally(() => this.start());
    }, waitMs);
    this.#timer.unref();
  }

  /** Ends the repetition; resolves when a run that is under way has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }
}
