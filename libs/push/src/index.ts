export { type NotificationCaller, SendTestNotification } from './accept/send-test-notification.js';
export { ApnsHttp2Transport } from './apns/apns-http2.transport.js';
export type { ApnsCredential, ApnsSettings, ProviderTokenSource } from './apns/apns-credential.js';
export { NodeApnTransport } from './apns/node-apn.transport.js';
export type { AcceptedDeliveries } from './accept/accepted-deliveries.js';
export type { ApnsApp, ApnsSignIn } from './credentials/apns-app.js';
export { ApnsRouter, type OpenApnsLine } from './credentials/apns-router.transport.js';
export { endedNewcomer, endingSoon } from './credentials/endings.rules.js';
export { ProviderTokens } from './credentials/provider-tokens.js';
export { type ApnsSources, readApnsApps } from './credentials/read-apns-apps.js';
export {
  type FcmAccount,
  nameOfAccount,
  readServiceAccount,
} from './credentials/read-service-account.js';
export { ReplaceableTransport } from './credentials/replaceable.transport.js';
export { WatchedCredentials } from './credentials/watched-credentials.js';
export { Lanes, type PushTransports } from './deliver/lanes.js';
export { Gates } from './gate/gates.js';
export { type ServiceAccount } from './fcm/fcm-access-token.js';
export { FcmHttp2Transport } from './fcm/fcm-http2.transport.js';
export type { FcmSettings } from './fcm/fcm-settings.js';
export { FirebaseAdminTransport } from './fcm/firebase-admin.transport.js';
export {
  ACCOUNT_CHANGE_PUBLISHER,
  type AccountChangePublisher,
} from './logout/account-logout.job.js';
export type { GateStatus, GateStatuses, GateTrouble, PruneAlarm } from './observe/gate-statuses.js';
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
export { PLATFORM_NAMES, type Trouble } from './overview/troubles.rules.js';
export { MessageContentRepository } from './messages/message-content.repository.js';
export { ReadContent } from './messages/read-content.js';
export { PushProducerModule } from './push-producer.module.js';
export { PushWorkerModule, type PushWorkerOptions } from './push-worker.module.js';
export { Sweeper } from './sweep/sweeper.js';
export type {
  OutgoingPush,
  ProviderAnswer,
  PushTransport,
  Recipient,
  Refusal,
} from './transport/push-transport.js';
export { RecordingTransport } from './transport/recording.transport.js';
export { UnconfiguredTransport } from './transport/unconfigured.transport.js';
