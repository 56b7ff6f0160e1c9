import { PeriodicTask, type TaskLogger } from './periodic-task.js';

/** How rows that are due are taken and handled. */
interface LeasedWork<Row> {
  readonly periodMs: number;
  /** The rows that a process takes at once. */
  readonly batch: number;
  /** Takes due rows, at most `limit`; other processes do not get them during the lease. */
  readonly lease: (limit: number) => Promise<readonly Row[]>;
  /** Handles a batch of one or more rows. It should end early when the task is stopping. */
  readonly handle: (rows: readonly Row[]) => Promise<void>;
  /** The log text before the error of a failed run. */
  readonly failure: string;
  readonly logger: TaskLogger;
}

/** Handles rows that are due, in batches until a batch is not full, and again after each period. Processes share the rows. */
export class LeasedTask<Row> {
  readonly #task: PeriodicTask;

  constructor(private readonly work: LeasedWork<Row>) {
    const { periodMs, failure, logger } = work;
    this.#task = new PeriodicTask(periodMs, () => this.#run(), { failure, logger });
  }

  /** Whether `stop` was called: a handler then leaves the rest of its batch to other processes. */
  get isStopping(): boolean {
    return this.#task.isStopping;
  }

  start(): void {
    this.#task.start();
  }

  /** Resolves when the current run has ended. */
  stop(): Promise<void> {
    return this.#task.stop();
  }

  async #run(): Promise<void> {
    const { batch, lease, handle } = this.work;
    while (!this.isStopping) {
      const rows = await lease(batch);
      if (rows.length > 0) await handle(rows);
      if (rows.length < batch) return;
    }
  }
}
