import { Inject, Injectable, Optional } from '@nestjs/common';
import { type Clock, systemClock } from '#platform/core';
import { Database, type Transaction } from '#platform/database';
import type { JobOutcome } from '#platform/queue';
import type { JobHandler, JobPayload } from '#push/jobs';
import type { AcceptedDeliveries } from '../acceptance.repository.js';
import { DeliveryQueue } from '../delivery-queue.js';
import { MessageNotificationRepository } from '../message-notification.repository.js';
import { TIME_TO_LIVE, type TimeToLive } from '../notification.js';
import { type RemovalPage, RemovalPageRepository } from './removal-page.repository.js';

/** Then other jobs of the queue have their turn. */
const TURN_MS = 1000;

/**
 * Accepts the removals of an organisation that wait, in pages. A page is removed in the transaction that accepts it, so that a
 * killed worker neither skips nor repeats an account. Until then no message of it is notified again. No channel is locked.
 */
@Injectable()
export class RemovalPageJob implements JobHandler<'message.remove'> {
  readonly jobName = 'message.remove';

  constructor(
    private readonly database: Database,
    private readonly pages: RemovalPageRepository,
    private readonly notifications: MessageNotificationRepository,
    private readonly queue: DeliveryQueue,
    @Inject(TIME_TO_LIVE) private readonly timeToLive: TimeToLive,
    @Optional() private readonly clock: Clock = systemClock,
  ) {}

  /** Rejects only when PostgreSQL is down. */
  async handle({ realmId }: JobPayload<'message.remove'>): Promise<JobOutcome> {
    const endsAt = this.clock() + TURN_MS;
    while (await this.#acceptNext(realmId)) {
      const now = this.clock();
      if (now >= endsAt) return { retryAt: now };
    }
    return {};
  }

  /** Resolves with false if no page waits. */
  async #acceptNext(realmId: number): Promise<boolean> {
    const accepted = await this.database.transaction(async (transaction) => {
      const page = await this.pages.takeFirst(transaction, realmId);
      return page === null ? null : this.#accept(transaction, page);
    });
    if (accepted === null) return false;
    // The sweeper finds deliveries without a job.
    await this.queue.enqueue(accepted);
    return true;
  }

  async #accept(
    transaction: Transaction,
    { removals, traceParent }: RemovalPage,
  ): Promise<AcceptedDeliveries[]> {
    const accepted = removals.map(([userId, messageIds]) => ({
      userId,
      content: { kind: 'remove' as const, messageIds },
    }));
    const options = { timeToLiveMs: this.timeToLive.remove, traceParent };
    return this.notifications.remove(transaction, accepted, options);
  }
}
