import { Logger } from '@nestjs/common';
import { type Jitter, withJitter } from './backoff.js';
import { errorText, isOutage } from './errors.js';

/** Prevents that the tasks of many processes align. */
const JITTER: Jitter = { least: 0.8, most: 1.2 };

interface PeriodicTaskOptions {
  /** The log text before the error of a failed run. */
  readonly failure?: string;
  /** The pause is at least this multiple of the previous run, so that a slow task runs less often. */
  readonly pausePerRun?: number;
  readonly logger?: Pick<Logger, 'error' | 'warn'>;
}

/**
 * Repeats a task, one run at a time, with about `periodMs` between the runs. The first run is one period after the start.
 * The timer does not keep the process alive.
 */
export class PeriodicTask {
  readonly #failure: string;
  readonly #pausePerRun: number;
  readonly #logger: Pick<Logger, 'error' | 'warn'>;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #isStopped = false;

  /** A failed run is logged, as a warning during an outage of a store; the repetition continues. */
  constructor(
    private readonly periodMs: number,
    private readonly task: () => Promise<unknown>,
    options: PeriodicTaskOptions = {},
  ) {
    this.#failure = options.failure ?? 'A periodic task failed';
    this.#pausePerRun = options.pausePerRun ?? 0;
    this.#logger = options.logger ?? new Logger(PeriodicTask.name);
  }

  start(): void {
    this.#schedule(this.periodMs);
  }

  #schedule(pauseMs: number): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(
      () => {
        this.#running = this.#runAndSchedule();
      },
      withJitter(pauseMs, JITTER),
    ).unref();
  }

  async #runAndSchedule(): Promise<void> {
    const startedAt = performance.now();
    await this.#run();
    const tookMs = performance.now() - startedAt;
    this.#schedule(Math.max(this.periodMs, tookMs * this.#pausePerRun));
  }

  async #run(): Promise<void> {
    try {
      await this.task();
    } catch (error) {
      if (isOutage(error)) this.#logger.warn(`${this.#failure}: ${errorText(error)}`);
      else this.#logger.error(`${this.#failure}: ${stackOf(error)}`);
    }
  }

  /** Ends the repetition; resolves when the current run has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }
}

const stackOf = (error: unknown): string =>
  (error instanceof Error ? error.stack : undefined) ?? errorText(error);
