import { Injectable, Logger } from '@nestjs/common';
import { groupBy } from '#core';
import { JobQueues } from '#queue';
import { deliveryJob, type DeliveryChunk } from '../deliver/delivery-jobs.rules.js';

/** Puts the jobs of accepted notifications into their queues. */
@Injectable()
export class WakeDeliveries {
  readonly #logger = new Logger(WakeDeliveries.name);

  constructor(private readonly queues: JobQueues) {}

  /** Resolves with false when the queues cannot be reached: the sweeper then does it later. */
  async execute(chunks: readonly DeliveryChunk[]): Promise<boolean> {
    const byQueue = groupBy(chunks.map(deliveryJob), ({ queue }) => queue);
    try {
      await Promise.all(
        [...byQueue].map(([queue, entries]) =>
          this.queues.enqueueMany(
            queue,
            entries.map(({ job }) => job),
          ),
        ),
      );
      return true;
    } catch (error) {
      this.#logger.debug(`${chunks.length} delivery jobs wait for the sweeper: ${String(error)}`);
      return false;
    }
  }
}
