export type { DeadLetter, DeadLetterCount } from './dead-letter.repository.js';
export { type DeadLetterChoice, parseDeadLetterId } from './dead-letter.rules.js';
export type { DeliveryHistory, NotificationHistory } from './notification-history.repository.js';
export type { Alert } from './overview/alerts.rules.js';
export { type PipelineStatus, PipelineStatusService } from './overview/pipeline-status.service.js';
export { PipelineStatusModule } from './admin.module.js';
export { type NotificationQuery, PushLedgerService } from './push-ledger.service.js';
export { PushLedgerModule, PushOperatorModule } from './admin.module.js';
export { PushOperatorService, type SentTest } from './push-operator.service.js';
