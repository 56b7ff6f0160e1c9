import { PUSH_TARGETS } from '#push/devices';
import type { Database } from '#platform/database';
import type { JobQueues } from '#platform/queue';
import type { PushJobs } from '#push/jobs';
import { DeferralRepository } from '../deferrals/deferral.repository.js';
import type { DeliveryQueue } from '../delivery-queue.js';
import { MessageNotificationRepository } from '../message-notification.repository.js';
import { timeToLiveOf } from '../notification.js';
import { RemovalPageRepository } from '../removal/removal-page.repository.js';
import { RemovalPages } from '../removal/removal-pages.js';
import { DecidedAgainRepository } from './decided-again.repository.js';
import { NotificationReview } from './notification-review.js';
import { ReviewRepository } from './review.repository.js';
import { SecondReviews } from './second-reviews.js';
import { UnwantedMessages } from './unwanted-messages.js';

const silentJobs = { enqueueMany: async () => undefined } as unknown as JobQueues<PushJobs>;
const silentQueue = { enqueue: async () => true } as unknown as DeliveryQueue;

/** As in a worker, without jobs. */
export const reviewIn = (database: Database): NotificationReview =>
  new NotificationReview(
    new MessageNotificationRepository(PUSH_TARGETS),
    new DecidedAgainRepository(),
    new DeferralRepository(database),
    new RemovalPages(new RemovalPageRepository(database), silentJobs),
    timeToLiveOf(60_000),
  );

/** As in a worker, without jobs. */
export const unwantedMessagesIn = (database: Database): UnwantedMessages =>
  new UnwantedMessages(database, reviewIn(database), silentQueue);

/** As in a worker, without jobs. */
export const secondReviewsIn = (database: Database): SecondReviews =>
  new SecondReviews(database, new ReviewRepository(database), reviewIn(database), silentQueue);
