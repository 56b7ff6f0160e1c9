import { describe, expect, it } from '@jest/globals';
import type { Database, Transaction } from '#platform/database';
import type { DeliveryQueue } from '../delivery-queue.js';
import type { ConcernedMessages } from './decided-again.repository.js';
import type { NotificationReview } from './notification-review.js';
import type { ReviewRepository } from './review.repository.js';
import { SecondReviews } from './second-reviews.js';

const FAILING = 2;

/** Accounts 1 to 3, of which the review of the second fails. */
class World {
  due = [1, FAILING, 3];
  readonly reviewed: number[] = [];
  readonly postponed: number[] = [];

  constructor(private readonly code: string) {}

  reviewAll(): Promise<void> {
    const database = { transaction: (work: (it: object) => unknown) => work({}) };
    return new SecondReviews(
      database as unknown as Database,
      this as unknown as ReviewRepository,
      this as unknown as NotificationReview,
      { enqueue: async () => true } as unknown as DeliveryQueue,
    ).reviewAll();
  }

  async takeNext() {
    const [userId] = this.due;
    return userId === undefined ? null : { userId, releasesHeld: false, reviewsWishes: true };
  }

  async review(_: Transaction, { userIds: [userId = 0] }: ConcernedMessages) {
    if (userId === FAILING) throw Object.assign(new Error('It fails.'), { code: this.code });
    this.reviewed.push(userId);
    this.due.shift();
    return [];
  }

  async postpone(userId: number) {
    this.postponed.push(userId);
    this.due.shift();
  }
}

describe(SecondReviews.name, () => {
  it('reviews the others when one account fails, and tells of the failure', async () => {
    const world = new World('57014');
    await expect(world.reviewAll()).rejects.toThrow('It fails.');
    expect(world.reviewed).toEqual([1, 3]);
    expect(world.postponed).toEqual([FAILING]);
  });

  it('stops when PostgreSQL is down', async () => {
    const world = new World('57P01');
    await expect(world.reviewAll()).rejects.toThrow('It fails.');
    expect(world.reviewed).toEqual([1]);
    expect(world.postponed).toEqual([]);
  });
});
