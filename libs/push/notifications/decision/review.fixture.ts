import { PUSH_TARGETS } from '#push/devices';
import type { Database } from '#platform/database';
import { DeferralRepository } from '../deferrals/deferral.repository.js';
import type { DeliveryQueue } from '../delivery-queue.js';
import { MessageNotificationRepository } from '../message-notification.repository.js';
import { timeToLiveOf } from '../notification.js';
import { DecidedAgainRepository } from './decided-again.repository.js';
import { NotificationReview } from './notification-review.js';
import { ReviewRepository } from './review.repository.js';
import { SecondReviews } from './second-reviews.js';
import { UnwantedMessages } from './unwanted-messages.js';

const silentQueue = { enqueue: async () => true } as unknown as DeliveryQueue;

const reviewIn = (database: Database): NotificationReview =>
  new NotificationReview(
    new MessageNotificationRepository(PUSH_TARGETS),
    new DecidedAgainRepository(),
    new DeferralRepository(database),
    timeToLiveOf(60_000),
  );

/** As in a worker, without jobs. */
export const unwantedMessagesIn = (database: Database): UnwantedMessages =>
  new UnwantedMessages(database, reviewIn(database), silentQueue);

/** As in a worker, without jobs. */
export const secondReviewsIn = (database: Database): SecondReviews =>
  new SecondReviews(database, new ReviewRepository(database), reviewIn(database), silentQueue);
