import type { Provider } from '@nestjs/common';
import { ANSWER_LISTENER, outcomesOnly } from './answer-listener.js';
import { CleanupLeaseRepository } from './cleanup/cleanup-lease.repository.js';
import { OwnTokenCleanup } from './cleanup/own-token-cleanup.js';
import { StaleTokenCleanup } from './cleanup/stale-token-cleanup.js';
import { TokenAgeing } from './cleanup/token-ageing.js';
import { DeliveryClaimRepository } from './delivery-claim.repository.js';
import { DeliveryClaims } from './delivery-claims.js';
import { DeliveryContents } from './delivery-contents.js';
import { DeliveryRecordRepository } from './delivery-record.repository.js';
import { DeliveryReturnRepository } from './delivery-return.repository.js';
import { DeliveryRounds } from './delivery-rounds.js';
import { DeliverySender } from './delivery-sender.js';
import { DeliveryJob } from './delivery.job.js';
import { OutcomeHandler } from './outcome-handler.js';
import { PageClaims } from './pages/page-claims.js';
import { PageRepository } from './pages/page.repository.js';
import { PlatformPools } from './platform-pools.js';
import { ProviderAttempts } from './provider-attempts.js';
import { DirectRecipients, RECIPIENTS } from './recipients.js';
import { RelayedAnswers } from './relayed/relayed-answers.js';
import { RelayedRecipients } from './relayed/relayed-recipients.js';
import { FeedbackRepository } from './feedback/feedback.repository.js';
import { FeedbackSweep } from './feedback/feedback-sweep.js';
import { FeedbackWebhook } from './feedback/feedback-webhook.js';
import { PushFeedback } from './feedback/push-feedback.js';
import { SubscriptionContents } from './subscription-contents.js';
import { GracePeriodReader } from './sweep/grace-period-reader.js';
import { LedgerSweep } from './sweep/ledger-sweep.js';
import { RetentionSweep } from './sweep/retention.js';
import { RetentionRepository } from './sweep/retention.repository.js';
import { SweepMetrics } from './sweep/sweep-metrics.js';
import { SweepRepository } from './sweep/sweep.repository.js';
import { Sweeper } from './sweep/sweeper.js';

/** The providers that deliver notifications, sweep and clean up. The module of a worker has the others that they need. */
export const deliveryProviders = [
  CleanupLeaseRepository,
  DeliveryClaimRepository,
  DeliveryClaims,
  DeliveryContents,
  DeliveryJob,
  DeliveryRecordRepository,
  DeliveryReturnRepository,
  DeliveryRounds,
  DeliverySender,
  DirectRecipients,
  FeedbackRepository,
  FeedbackSweep,
  FeedbackWebhook,
  GracePeriodReader,
  LedgerSweep,
  OutcomeHandler,
  OwnTokenCleanup,
  PageClaims,
  PageRepository,
  PlatformPools,
  ProviderAttempts,
  PushFeedback,
  RetentionRepository,
  RetentionSweep,
  StaleTokenCleanup,
  SubscriptionContents,
  Sweeper,
  SweepMetrics,
  SweepRepository,
  TokenAgeing,
];

/** The further providers of a server that sends to Apple and Google itself. */
export const directDeliveryProviders: readonly Provider[] = [
  { provide: ANSWER_LISTENER, useValue: outcomesOnly },
  { provide: RECIPIENTS, useExisting: DirectRecipients },
];

/** The further providers of a server that relays. */
export const relayedDeliveryProviders: readonly Provider[] = [
  RelayedAnswers,
  RelayedRecipients,
  { provide: ANSWER_LISTENER, useExisting: RelayedAnswers },
  { provide: RECIPIENTS, useExisting: RelayedRecipients },
];
