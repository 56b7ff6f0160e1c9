import { Injectable } from '@nestjs/common';
import { PeriodicService, PeriodicTask } from '#platform/core';
import { UserStatusRepository } from './user-status.repository.js';
import { UserStatusService } from './user-status.service.js';

const EVERY_MS = 10_000;
const BATCH = 100;

/** Removes the statuses whose end has come. Every gateway looks for them; one of them removes each. */
@Injectable()
export class StatusExpiry extends PeriodicService {
  protected readonly task = new PeriodicTask(EVERY_MS, () => this.expireAll(), {
    failure: 'Statuses that have ended were not removed',
  });

  constructor(
    private readonly statuses: UserStatusRepository,
    private readonly service: UserStatusService,
  ) {
    super();
  }

  /** Many statuses end at the same time of day. Rejects if one could not be removed, after the others of its batch. */
  async expireAll(): Promise<void> {
    let hasMore = true;
    while (hasMore && !this.task.isStopping) hasMore = await this.#expireBatch();
  }

  /** Resolves with whether there may be more. */
  async #expireBatch(): Promise<boolean> {
    const expired = await this.statuses.expired(BATCH);
    const failures: unknown[] = [];
    for (const one of expired) {
      if (this.task.isStopping) return false;
      await this.service.expire(one).catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
    return expired.length === BATCH;
  }
}
