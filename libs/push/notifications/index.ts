export {
  AcceptanceRepository,
  type AcceptedDeliveries,
  type AcceptedDeliveriesRow,
  devicesOf,
  toAcceptedDeliveries,
} from './acceptance.repository.js';
export { ContentReader, PUSH_EXTERNAL_URL, PUSH_REDACTS_CONTENT } from './content-reader.js';
export {
  type Activity,
  decide,
  type Decision,
  type Hold,
  type HoldCause,
  holdOf,
  IDLE_AFTER_SECONDS,
  isAway,
  type MessageFacts,
  type Obstacle,
  triggerOf,
} from './decision/decision.rules.js';
export { isOn, QUIET_SETTINGS, wishesJoins } from './decision/decision.sql.js';
export { DeferralRepository } from './deferrals/deferral.repository.js';
export { DecidedAgainRepository } from './decision/decided-again.repository.js';
export { NotificationReview } from './decision/notification-review.js';
export { ReviewRepository } from './decision/review.repository.js';
export { SecondReviews } from './decision/second-reviews.js';
export { UnwantedMessages } from './decision/unwanted-messages.js';
export { DeferredDecisions } from './deferrals/deferred-decisions.js';
export {
  type DeliveryItem,
  DEVICES_PER_JOB,
  type Retry,
  retryJobs,
  routeOf,
  URGENT_PER_REALM,
} from './delivery-jobs.rules.js';
export { DeliveryQueue } from './delivery-queue.js';
export { MessageFanOutJob, PAGE_RECIPIENTS } from './fan-out/message-fan-out.job.js';
export { MessageFanOutRepository } from './fan-out/message-fan-out.repository.js';
export { MessageFanOuts } from './fan-out/message-fan-outs.js';
export { MAY_BE_SHOWN, MessageContentRepository } from './message-content.repository.js';
export { BadgeRepository } from './badge.repository.js';
export { OffScreenMessagesRepository } from './off-screen-messages.repository.js';
export { MessageNotificationRepository } from './message-notification.repository.js';
export {
  AWAITS_REMOVAL,
  type DeliveryKey,
  type DeliveryResult,
  MAX_BLOCKING_ATTEMPTS,
  notificationContent,
  type NotificationContent,
  resultTopic,
  TIME_TO_LIVE,
  timeToLiveOf,
} from './notification.js';
export { DueReminders } from './reminders/due-reminders.js';
export { ReminderRepository } from './reminders/reminder.repository.js';
export { MAX_REMINDERS } from './reminders/reminders.rules.js';
export { RemovalPageJob } from './removal/removal-page.job.js';
export { RemovalPageRepository } from './removal/removal-page.repository.js';
export { RemovalPages } from './removal/removal-pages.js';
export {
  DEVICES_PER_PAGE,
  LEAST_PAGE,
  notificationIdAt,
  type PlaceState,
  placeStates,
} from './pages/page.rules.js';
export {
  accountOf,
  accountsOf,
  idIn,
  isOpenOf,
  mayConcern,
  pageIdOf,
  stateAt,
} from './pages/page.sql.js';
export { PushProducerModule } from './push-producer.module.js';
export { QuietTimesRepository } from './quiet/quiet-times.repository.js';
export { QuietTimes, QuietTimesContinuation } from './quiet/quiet-times.js';
export { DirectTestService } from './test-notifications/direct-test.service.js';
export { SubscriptionTests } from './test-notifications/subscription-tests.js';
export { TestNotificationsModule } from './test-notifications/test-notifications.module.js';
