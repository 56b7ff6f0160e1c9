import { Injectable } from '@nestjs/common';
import { type PendingDeliveries, PushBacklogRepository } from './push-backlog.repository.js';
import { remembered } from './remembered.js';

/**
 * Tells what the ledger says is still to be sent. The look reads all that is pending: it must not take up
 * the database just when that is much, however many ask.
 */
@Injectable()
export class PushBacklog {
  readonly #look;

  constructor(repository: PushBacklogRepository) {
    this.#look = remembered({ forMs: 1500, timesItsCost: 20 }, () => repository.pending());
  }

  /** A row for each platform that something waits for; may be some seconds old. Rejects without PostgreSQL. */
  execute(): Promise<readonly PendingDeliveries[]> {
    return this.#look();
  }
}
