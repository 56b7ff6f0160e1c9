import { Injectable } from '@nestjs/common';
import { PeriodicService, PeriodicTask } from '#platform/core';
import { EventRepository } from '#events/log';
import { QueuesService } from '#events/queues';

const EVERY_MS = 60_000;
/** A day longer than a queue lives without a poll. */
const KEPT_SECONDS = 8 * 86_400;
/** The rows of one statement. */
const BATCH = 2000;

/**
 * Deletes expired queues, and events a day after the longest life of a queue without a poll. Each gateway deletes a part of
 * them.
 */
@Injectable()
export class EventsCleaner extends PeriodicService {
  protected readonly task = new PeriodicTask(EVERY_MS, () => this.#clean(), {
    failure: 'Old events and queues were not deleted',
    pausePerRun: 1,
  });

  constructor(
    private readonly events: EventRepository,
    private readonly queues: QueuesService,
  ) {
    super();
  }

  /** One pass over everything, in statements of a bounded size. */
  async #clean(): Promise<void> {
    await this.#repeat(() => this.queues.removeExpired(BATCH));
    await this.#repeat(() => this.events.deleteOld(KEPT_SECONDS, BATCH));
  }

  async #repeat(deleteBatch: () => Promise<number>): Promise<void> {
    let deleted = BATCH;
    while (deleted === BATCH && !this.task.isStopping) deleted = await deleteBatch();
  }
}
