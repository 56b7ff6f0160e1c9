import { CleanupLeaseRepository } from './cleanup/cleanup-lease.repository.js';
import { OwnTokenCleanup } from './cleanup/own-token-cleanup.js';
import { StaleTokenCleanup } from './cleanup/stale-token-cleanup.js';
import { TokenAgeing } from './cleanup/token-ageing.js';
import { DeliveryClaimRepository } from './delivery-claim.repository.js';
import { DeliveryContents } from './delivery-contents.js';
import { DeliveryRecordRepository } from './delivery-record.repository.js';
import { DeliveryRounds } from './delivery-rounds.js';
import { DeliverySender } from './delivery-sender.js';
import { DeliveryJob } from './delivery.job.js';
import { OutcomeHandler } from './outcome-handler.js';
import { PlatformPools } from './platform-pools.js';
import { ProviderAttempts } from './provider-attempts.js';
import { RelayedAnswers } from './relayed-answers.js';
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
  DeliveryContents,
  DeliveryJob,
  DeliveryRecordRepository,
  DeliveryRounds,
  DeliverySender,
  GracePeriodReader,
  LedgerSweep,
  OutcomeHandler,
  OwnTokenCleanup,
  PlatformPools,
  ProviderAttempts,
  RelayedAnswers,
  RetentionRepository,
  RetentionSweep,
  StaleTokenCleanup,
  Sweeper,
  SweepMetrics,
  SweepRepository,
  TokenAgeing,
];
