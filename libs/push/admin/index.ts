export { PipelineStatusModule, PushLedgerModule, PushOperatorModule } from './admin.module.js';
export type { DeadLetter, DeadLetterCount } from './dead-letter.repository.js';
export { type DeadLetterChoice, parseDeadLetterId } from './dead-letter.rules.js';
export type { Explanation } from './explain/explain.rules.js';
export type {
  DeliveryHistory,
  NotificationHistory,
  NotificationReceipt,
} from './notification-history.repository.js';
export type { Alert } from './overview/alert.js';
export { type PipelineStatus, PipelineStatusService } from './overview/pipeline-status.service.js';
export { PlatformPauses } from './platform-pauses.js';
export { type NotificationQuery, PushLedgerService } from './push-ledger.service.js';
export { PushOperatorService, type SentTest } from './push-operator.service.js';
