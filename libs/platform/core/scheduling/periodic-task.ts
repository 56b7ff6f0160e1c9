import { Logger } from '@nestjs/common';
import { type Jitter, withJitter } from './backoff.js';
import { errorText, isOutage } from '../failures/errors.js';

/** Prevents that the tasks of many processes align. */
const JITTER: Jitter = { least: 0.8, most: 1.2 };

/** The part of a logger that a task uses. */
export type TaskLogger = Pick<Logger, 'debug' | 'error' | 'log' | 'warn'>;

interface PeriodicTaskOptions {
  /** The log text before the error of a failed run; also names the task in metrics. */
  readonly failure: string;
  /** The pause is at least this multiple of the previous run, so that a slow task runs less often. */
  readonly pausePerRun?: number;
  /** Limits that pause, so that one slow run does not stop the task for long. */
  readonly maxPauseMs?: number;
  readonly logger?: TaskLogger;
}

const failures = new Map<string, number>();

/** The number of failed runs since the start of this program, by the log text of the task. */
export const taskFailureCounts = (): ReadonlyMap<string, number> => failures;

/** Stands for every error of an outage: their texts differ, and one log entry is enough. */
const OUTAGE = 'outage';

/**
 * Repeats a task, one run at a time, with about `periodMs` between the runs. By default the first run is one period
 * after the start. The timer does not keep the process alive.
 */
export class PeriodicTask {
  readonly #failure: string;
  readonly #pausePerRun: number;
  readonly #maxPauseMs: number;
  readonly #logger: TaskLogger;
  /** The failure of the previous run; null after a success. */
  #lastFailure: string | null = null;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #isStopping = false;

  /**
   * A failed run is counted, and the repetition continues. The first of several equal failures is logged, as a warning
   * during an outage of a store, and so is the next success. The failures between are logged for debugging, and so is one
   * after `stop`: what the task uses may be closed by then.
   */
  constructor(
    private readonly periodMs: number,
    private readonly task: () => Promise<unknown>,
    options: PeriodicTaskOptions,
  ) {
    this.#failure = options.failure;
    this.#pausePerRun = options.pausePerRun ?? 0;
    this.#maxPauseMs = options.maxPauseMs ?? Number.POSITIVE_INFINITY;
    this.#logger = options.logger ?? new Logger(PeriodicTask.name);
    failures.set(this.#failure, failures.get(this.#failure) ?? 0);
  }

  /** Whether `stop` was called: a long run then ends early, and leaves the rest to other processes or the next start. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  start(firstMs = this.periodMs): void {
    this.#schedule(firstMs);
  }

  #schedule(pauseMs: number): void {
    if (this.#isStopping) return;
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
    const pauseMs = Math.min(tookMs * this.#pausePerRun, this.#maxPauseMs);
    this.#schedule(Math.max(this.periodMs, pauseMs));
  }

  async #run(): Promise<void> {
    try {
      await this.task();
    } catch (error) {
      this.#failed(error);
      return;
    }
    if (this.#lastFailure === null) return;
    this.#lastFailure = null;
    this.#logger.log(`Recovered. It had failed: ${this.#failure}`);
  }

  #failed(error: unknown): void {
    failures.set(this.#failure, (failures.get(this.#failure) ?? 0) + 1);
    const text = errorText(error);
    const failure = isOutage(error) ? OUTAGE : text;
    const isKnown = failure === this.#lastFailure;
    this.#lastFailure = failure;
    if (isKnown) this.#logger.debug(`${this.#failure}, still: ${text}`);
    else if (this.#isStopping) this.#logger.debug(`${this.#failure}, after the stop: ${text}`);
    else if (failure === OUTAGE) this.#logger.warn(`${this.#failure}: ${text}`);
    else this.#logger.error(`${this.#failure}: ${stackOf(error)}`);
  }

  /** Ends the repetition; resolves when the current run has ended. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#timer);
    await this.#running;
  }
}

const stackOf = (error: unknown): string =>
  (error instanceof Error ? error.stack : undefined) ?? errorText(error);
