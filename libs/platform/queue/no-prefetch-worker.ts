import { type Job, type Processor, Worker, type WorkerOptions } from 'bullmq';

/**
 * A worker that starts each job before it fetches the next one. BullMQ's own worker fetches until its concurrency is
 * reached, or no job is left, and only then starts the first job. If jobs arrive as fast as a busy process fetches them,
 * the first job waits for all these fetches.
 */
export class NoPrefetchWorker extends Worker {
  readonly #maxJobs = this.concurrency;
  #jobs = 0;

  constructor(queue: string, processor?: Processor | null, options?: WorkerOptions) {
    super(queue, processor, options);
    this.#allowOneMore();
  }

  /** An ended job always fetches its successor, which keeps the number of jobs. */
  override async processJob(job: Job, token: string): Promise<void | Job> {
    this.#jobs += 1;
    this.#allowOneMore();
    try {
      return await super.processJob(job, token);
    } finally {
      this.#jobs -= 1;
      this.#allowOneMore();
    }
  }

  #allowOneMore(): void {
    this.concurrency = Math.min(this.#jobs + 1, this.#maxJobs);
  }
}
