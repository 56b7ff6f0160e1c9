export { OwnTokenCleanup } from './cleanup/own-token-cleanup.js';
export { TOKEN_CLEANUPS, type TokenCleanup } from './cleanup/stale-token-cleanup.js';
export { TOKEN_AGES, TokenAgeing, type TokenAges } from './cleanup/token-ageing.js';
export {
  type Claimed,
  LEASE_MS,
  LEASE_SLACK_MS,
  MIN_POSTPONE_INTERVAL_MS,
  secondsUntilDue,
} from './delivery-lease.js';
export {
  deliveryProviders,
  directDeliveryProviders,
  relayedDeliveryProviders,
} from './delivery-providers.js';
export { FeedbackSweep } from './feedback/feedback-sweep.js';
export { FeedbackWebhook } from './feedback/feedback-webhook.js';
export { FEEDBACK_SETTINGS, type FeedbackSettings } from './feedback/push-feedback.js';
export { DeliveryRounds } from './delivery-rounds.js';
export { DeliveryJob } from './delivery.job.js';
export { afterBreakerPause, type Conclusion, deliveryId, stateAfter } from './delivery.rules.js';
export type { Attempted, DeliveryProgress, JobDeliveries, Ledger, RequeuePlace } from './ledger.js';
export {
  PLATFORM_CONCURRENCY,
  PlatformPools,
  PUSH_TRANSPORTS,
  type PushTransports,
  type Slots,
} from './platform-pools.js';
export {
  type AttemptResult,
  KEPT_BY_PROVIDERS_MS,
  type ProviderAttempt,
  ProviderAttempts,
} from './provider-attempts.js';
export { LedgerSweep } from './sweep/ledger-sweep.js';
export { inPages, RETENTION, type Retention, RetentionSweep } from './sweep/retention.js';
export { lockLedger } from './sweep/retention.repository.js';
export { SWEEP_TASKS, type SweepPass, type SweepTask } from './sweep/sweep-task.js';
export { SWEEP_TIMING, type SweepTiming } from './sweep/sweep-timing.js';
export type { GracePeriods } from './sweep/sweep.repository.js';
export { Sweeper } from './sweep/sweeper.js';
