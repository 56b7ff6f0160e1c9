import { Logger } from '@nestjs/common';

/** Each period is drawn from this much around its length: tasks of many processes must not align. */
const JITTER = 0.2;

/** Runs a task again and again, one run at a time, with about `periodMs` between the runs. */
export class PeriodicTask {
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #isStopped = false;

  /** A failure of the task is logged, and the repetition goes on. */
  constructor(
    private readonly periodMs: number,
    private readonly task: () => Promise<void>,
    private readonly logger: Pick<Logger, 'error'> = new Logger(PeriodicTask.name),
  ) {}

  start(): void {
    if (this.#isStopped) return;
    const waitMs = this.periodMs * (1 - JITTER + Math.random() * 2 * JITTER);
    this.#timer = setTimeout(() => {
      this.#running = this.#run().finally(() => this.start());
    }, waitMs);
    this.#timer.unref();
  }

  async #run(): Promise<void> {
    try {
      await this.task();
    } catch (error) {
      this.logger.error(error instanceof Error ? error.stack : error);
    }
  }

  /** Ends the repetition; resolves when a run that is under way has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }
}
