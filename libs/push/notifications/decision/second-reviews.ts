import { Injectable } from '@nestjs/common';
import { isStoreDown, PeriodicService, PeriodicTask } from '#platform/core';
import { Database } from '#platform/database';
import type { AcceptedDeliveries } from '../acceptance.repository.js';
import { DeliveryQueue } from '../delivery-queue.js';
import { NotificationReview } from './notification-review.js';
import { ReviewRepository } from './review.repository.js';

const EVERY_MS = 1000;

/** An account whose review fails, whatever the reason, is tried again after this time. */
const POSTPONED_SECONDS = 60;

/**
 * Reviews the notifications of an account some seconds after a change of its settings. Neither the change nor a message that is
 * stored, moved or edited at the same moment sees the other: the first review, in the transaction of the change, may miss it.
 */
@Injectable()
export class SecondReviews extends PeriodicService {
  protected readonly task = new PeriodicTask(EVERY_MS, () => this.reviewAll(), {
    failure: 'Notifications were not reviewed after a change of settings',
    pausePerRun: 0,
  });

  constructor(
    private readonly database: Database,
    private readonly reviews: ReviewRepository,
    private readonly review: NotificationReview,
    private readonly queue: DeliveryQueue,
  ) {
    super();
  }

  /** Reviews all accounts that are due. Rejects when PostgreSQL is down, and at the end if the review of an account has failed. */
  async reviewAll(): Promise<void> {
    const failures: unknown[] = [];
    while (!this.task.isStopping) {
      const reviewed = await this.#reviewNext();
      if (reviewed === null) break;
      if ('error' in reviewed) failures.push(reviewed.error);
      else await this.queue.enqueue(reviewed.accepted);
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Null if no account is due. A failing account is postponed: it must not stop the others. */
  async #reviewNext(): Promise<
    { readonly accepted: readonly AcceptedDeliveries[] } | { readonly error: unknown } | null
  > {
    let userId: number | null = null;
    try {
      return await this.database.transaction(async (transaction) => {
        const planned = await this.reviews.takeNext(transaction);
        if (planned === null) return null;
        userId = planned.userId;
        if (planned.releasesHeld) await this.review.release(transaction, userId);
        if (!planned.reviewsWishes) return { accepted: [] };
        const concerned = { userIds: [userId], messageIds: null };
        return { accepted: await this.review.review(transaction, concerned) };
      });
    } catch (error) {
      if (isStoreDown(error) || userId === null) throw error;
      await this.reviews.postpone(userId, POSTPONED_SECONDS);
      return { error };
    }
  }
}
