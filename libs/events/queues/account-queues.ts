import { Injectable } from '@nestjs/common';
import { EventLog, queuesRemoved } from '#events/log';
import type { Transaction } from '#platform/database';
import { QueuesService } from './queues.service.js';

/** Deletes the queues of accounts that see their organisation differently from now on. */
@Injectable()
export class AccountQueues {
  constructor(
    private readonly queues: QueuesService,
    private readonly log: EventLog,
  ) {}

  /**
   * Deletes all queues of accounts. Gateways that know them learn of it from Redis, and from an event if Redis or this process
   * fails after the commit.
   */
  async removeAll(
    transaction: Transaction,
    realmId: number,
    userIds: readonly number[],
  ): Promise<void> {
    if ((await this.queues.removeAllOf(transaction, userIds)) === 0) return;
    this.log.append(transaction, queuesRemoved(realmId, userIds));
  }
}
