export { type NotificationCaller, SendTestNotification } from './accept/send-test-notification.js';
export { Lanes, type PushTransports } from './deliver/lanes.js';
export { Gates } from './gate/gates.js';
export {
  ACCOUNT_CHANGE_PUBLISHER,
  type AccountChangePublisher,
} from './logout/account-logout.job.js';
export type { GateStatus, GateTrouble, PruneAlarm } from './observe/gate-statuses.js';
export { PushObserveModule } from './observe/observe.module.js';
export {
  type ObservedDelivery,
  PUSH_OBSERVER,
  type PushObserver,
} from './observe/push-observer.js';
export { PushActivityStore } from './observe/push-activity.store.js';
export {
  PushOverview,
  type PushOverviewReport,
  type QueueOverview,
} from './observe/push-overview.js';
export type { PendingDeliveries, RetriedDeliveries } from './observe/push-backlog.repository.js';
export type { OutcomeBucket, WorkerReport } from './observe/worker-report.js';
export type { DeadLetterChoice } from './operate/dead-letter-choice.js';
export { type DeadLetterKey, parseDeadLetterId } from './operate/dead-letter-id.rules.js';
export type { DeadLetter, DeadLetterCount } from './operate/dead-letter.repository.js';
export { DeadLetters } from './operate/dead-letters.js';
export { DismissDeadLetters } from './operate/dismiss-dead-letters.js';
export { FindNotifications, type NotificationQuery } from './operate/find-notifications.js';
export { LedgerOperatorModule } from './operate/ledger-operator.module.js';
export { ListPausedPlatforms } from './operate/list-paused-platforms.js';
export type {
  DeliveryHistory,
  NotificationHistory,
  PastAttempt,
} from './operate/notification-history.js';
export { PausePlatform } from './operate/pause-platform.js';
export { PushOperatorModule } from './operate/push-operator.module.js';
export { PushOverviewModule } from './operate/push-overview.module.js';
export { RequeueDeadLetters } from './operate/requeue-dead-letters.js';
export { ResumePlatform } from './operate/resume-platform.js';
export { SendTestTo, type SentTest } from './operate/send-test-to.js';
export { LookAtPipeline, type PipelineView } from './overview/look-at-pipeline.js';
export { credentialsOf, platformStatesOf, pruneAlarmsOf } from './overview/pipeline-state.rules.js';
export type { Trouble } from './overview/troubles.rules.js';
export { MessageContentRepository } from './messages/message-content.repository.js';
export { ReadContent } from './messages/read-content.js';
export { PushProducerModule } from './push-producer.module.js';
export { PushWorkerModule, type PushWorkerOptions } from './push-worker.module.js';
export { Sweeper } from './sweep/sweeper.js';
