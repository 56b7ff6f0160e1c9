import { Injectable, Logger } from '@nestjs/common';
import type { PromisedLogout } from '#auth';
import { JobQueues } from '#queue';

/** Puts the job of a promised logout into its queue, where it is once at most. */
@Injectable()
export class EnqueueLogout {
  readonly #logger = new Logger(EnqueueLogout.name);

  constructor(private readonly queues: JobQueues) {}

  /** Never rejects: the sweeper does it for those that did not get in. */
  async execute({ outboxId, userId, keyGeneration }: PromisedLogout): Promise<void> {
    try {
      await this.queues.enqueue('push-control', {
        name: 'account.logout',
        jobId: `outbox-${outboxId}`,
        payload: { v: 1, outboxId, userId, keyGeneration },
      });
    } catch (error) {
      this.#logger.debug(`A logout waits for the sweeper: ${String(error)}`);
    }
  }
}
