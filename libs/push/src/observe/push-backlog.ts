import { Injectable } from '@nestjs/common';
import {
  type PendingDeliveries,
  PushBacklogRepository,
  type StoredRows,
} from './push-backlog.repository.js';
import { remembered } from './remembered.js';

/**
 * Tells what the ledger says is still to be sent. The look reads all that is pending: it must not take up
 * the database just when that is much, however many ask.
 */
@Injectable()
export class PushBacklog {
  readonly #look;
  readonly #lookAtStored;

  constructor(repository: PushBacklogRepository) {
    this.#look = remembered({ forMs: 1500, timesItsCost: 20 }, () => repository.pending());
    this.#lookAtStored = remembered({ forMs: 5000, timesItsCost: 20 }, () => repository.stored());
  }

  /** A row for each platform that something waits for; may be some seconds old. Rejects without PostgreSQL. */
  execute(): Promise<readonly PendingDeliveries[]> {
    return this.#look();
  }

  /** The rows of the outbox and the dead letters; may be some seconds old. Rejects without PostgreSQL. */
  stored(): Promise<StoredRows> {
    return this.#lookAtStored();
  }
}
