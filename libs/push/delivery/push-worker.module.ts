import { type DynamicModule, Module, type ModuleMetadata, type Provider } from '@nestjs/common';
import { GroupMentions, MentionRepository } from '#chat/messages';
import { GuestAccessModule } from '#directory/guest-access';
import { platformQueue, platforms, type QueueName } from '#platform/contracts';
import { IdempotencyKeyRepository } from '#platform/idempotency';
import { type ConsumedQueue, QueueConsumerModule } from '#platform/queue';
import { TelemetryModule } from '#platform/telemetry';
import { CircuitBreakers, TokenPruneGuard } from '#push/breakers';
import {
  AccountLogoutJob,
  DeviceAgeRepository,
  DeviceRegistrationJob,
  DeviceRegistrationModule,
  LogoutRepository,
  PushDeviceRevoker,
} from '#push/devices';
import {
  ContentReader,
  DeferralRepository,
  DeferredDecisions,
  DeliveryQueue,
  MessageContentRepository,
  MessageFanOutJob,
  MessageFanOutRepository,
  MessageFanOuts,
  MessageNotificationRepository,
  PUSH_EXTERNAL_URL,
  PUSH_REDACTS_CONTENT,
  TIME_TO_LIVE,
  timeToLiveOf,
} from '#push/notifications';
import {
  PushObserveModule,
  REPORTED_SETTINGS,
  type ReportedSettings,
  workerObservers,
} from '#push/observability';
import { UnconfiguredTransport } from '#push/providers';
import { RemoteDeliveryModule } from '#push/tenants';
import { PushRevocationsModule, RevokedPushes } from '#push/revocations';
import {
  PushServiceModule,
  RealmUploadTask,
  RelayMetrics,
  type RelaySettings,
  TokenChangesJob,
} from '#push/relay';
import { ClientTokens } from './client-tokens.js';
import { CleanupLeaseRepository } from './cleanup/cleanup-lease.repository.js';
import { OwnTokenCleanup } from './cleanup/own-token-cleanup.js';
import { TOKEN_AGES, TokenAgeing, type TokenAges } from './cleanup/token-ageing.js';
import { StaleTokenCleanup } from './cleanup/stale-token-cleanup.js';
import { DeliveryClaimRepository } from './delivery-claim.repository.js';
import { DeliveryContents } from './delivery-contents.js';
import { LEASE_MS } from './delivery-lease.js';
import { DeliveryRecordRepository } from './delivery-record.repository.js';
import { DeliveryRounds } from './delivery-rounds.js';
import { DeliverySender } from './delivery-sender.js';
import { DeliveryJob } from './delivery.job.js';
import { OutcomeHandler } from './outcome-handler.js';
import {
  PLATFORM_CONCURRENCY,
  PlatformPools,
  PUSH_TRANSPORTS,
  type PushTransports,
} from './platform-pools.js';
import { ProviderAttempts } from './provider-attempts.js';
import { RelayedAnswers } from './relayed-answers.js';
import { RemoteDeliveryJob } from './remote/remote-delivery.job.js';
import { remoteProviders } from './remote/remote-providers.js';
import { ControlSweep } from './sweep/control-sweep.js';
import { GracePeriodReader } from './sweep/grace-period-reader.js';
import { LedgerSweep } from './sweep/ledger-sweep.js';
import { RETENTION, type Retention, RetentionSweep } from './sweep/retention.js';
import { RetentionRepository } from './sweep/retention.repository.js';
import { SweepMetrics } from './sweep/sweep-metrics.js';
import { SweepRepository } from './sweep/sweep.repository.js';
import { SWEEP_TIMING, type SweepTiming } from './sweep/sweep-timing.js';
import { Sweeper } from './sweep/sweeper.js';

/** The jobs are short, or divided into short turns. */
const CONTROL_CONCURRENCY = 4;
/** A bulk job has up to a hundred devices: few of them fill the lane. */
const BULK_CONCURRENCY = 8;
/** An urgent job has a few devices. */
const URGENT_CONCURRENCY = 64;

/** The options of a worker. */
interface PushWorkerOptions {
  /** Those of QueueModule: each consumed queue has connections of its own. */
  readonly queueRedisUrls: readonly string[];
  readonly externalUrl: string;
  /** The queues that this process consumes. */
  readonly queues: readonly QueueName[];
  /** For the platforms of the queues. */
  readonly transports: PushTransports;
  /** The most pushes in flight of a platform. */
  readonly concurrency: number;
  /** How long a claimed delivery is leased: longer than a push can be in flight. */
  readonly leaseMs: number;
  /** Whether notifications of messages omit the text. */
  readonly redactsContent: boolean;
  /** How long a message may wait to be sent, in milliseconds. */
  readonly timeToLiveMs: number;
  /** The secret of encrypted notifications; null without them. */
  readonly keySecret: Buffer | null;
  /** The push service of another server; null when this one sends to Apple and Google itself. */
  readonly relay?: RelaySettings | null;
  /** The time without a registration after which a token counts as dead, in milliseconds; 0 for never. */
  readonly tokenAges: TokenAges;
  readonly sweep: SweepTiming;
  readonly retention: Retention;
  /** Modules that export an ACCOUNT_CHANGE_PUBLISHER. */
  readonly imports: NonNullable<ModuleMetadata['imports']>;
}

/** Delivers notifications and logs out devices; needs DatabaseModule, QueueModule and RedisModule. */
@Module({})
export class PushWorkerModule {
  static with(options: PushWorkerOptions): DynamicModule {
    const jobs = PushJobsModule.with(options);
    return {
      module: PushWorkerModule,
      imports: [
        QueueConsumerModule.consume({
          redisUrls: options.queueRedisUrls,
          ...consumedQueuesOf(options.queues),
          imports: [jobs],
        }),
        jobs,
      ],
      exports: [jobs],
    };
  }
}

/** Messages with many recipients, and those for people who have left. */
const decisionProviders = [
  DeferralRepository,
  DeferredDecisions,
  GroupMentions,
  MentionRepository,
  MessageFanOutJob,
  MessageFanOutRepository,
  MessageFanOuts,
  MessageNotificationRepository,
];

const sweepProviders = [
  CleanupLeaseRepository,
  ControlSweep,
  DeviceAgeRepository,
  GracePeriodReader,
  IdempotencyKeyRepository,
  LedgerSweep,
  OwnTokenCleanup,
  RetentionRepository,
  RetentionSweep,
  SweepMetrics,
  Sweeper,
  SweepRepository,
  TokenAgeing,
  StaleTokenCleanup,
];

/** The job handlers and their dependencies. */
@Module({})
class PushJobsModule {
  static with(options: PushWorkerOptions): DynamicModule {
    return {
      module: PushJobsModule,
      imports: [
        ...options.imports,
        DeviceRegistrationModule,
        GuestAccessModule,
        PushObserveModule,
        PushRevocationsModule,
        PushServiceModule.with(options.keySecret, options.relay ?? null),
        RemoteDeliveryModule,
        TelemetryModule,
      ],
      providers: [
        AccountLogoutJob,
        CircuitBreakers,
        ClientTokens,
        ContentReader,
        DeliveryClaimRepository,
        DeliveryContents,
        DeliveryJob,
        DeliveryQueue,
        DeliveryRecordRepository,
        DeliveryRounds,
        DeliverySender,
        LogoutRepository,
        MessageContentRepository,
        OutcomeHandler,
        RealmUploadTask,
        RelayedAnswers,
        RelayMetrics,
        PlatformPools,
        ProviderAttempts,
        TokenPruneGuard,
        PushDeviceRevoker,
        ...decisionProviders,
        ...remoteProviders,
        RevokedPushes,
        ...sweepProviders,
        TokenChangesJob,
        ...workerObservers,
        ...settingsOf(options),
      ],
      exports: [
        AccountLogoutJob,
        CircuitBreakers,
        DeferredDecisions,
        DeliveryJob,
        DeviceRegistrationModule,
        MessageFanOutJob,
        PlatformPools,
        RemoteDeliveryJob,
        TokenChangesJob,
        TokenPruneGuard,
        Sweeper,
      ],
    };
  }
}

const settingsOf = (options: PushWorkerOptions): Provider[] => [
  { provide: REPORTED_SETTINGS, useValue: reportedSettingsOf(options) },
  { provide: PLATFORM_CONCURRENCY, useValue: options.concurrency },
  { provide: LEASE_MS, useValue: options.leaseMs },
  { provide: PUSH_EXTERNAL_URL, useValue: new URL(options.externalUrl) },
  { provide: PUSH_REDACTS_CONTENT, useValue: options.redactsContent },
  { provide: TIME_TO_LIVE, useValue: timeToLiveOf(options.timeToLiveMs) },
  { provide: PUSH_TRANSPORTS, useValue: options.transports },
  { provide: RETENTION, useValue: options.retention },
  { provide: TOKEN_AGES, useValue: options.tokenAges },
  { provide: SWEEP_TIMING, useValue: options.sweep },
];

const reportedSettingsOf = ({ queues, transports }: PushWorkerOptions): ReportedSettings => ({
  queues,
  hasProvider: Object.values(transports).some(
    (transport) => !(transport instanceof UnconfiguredTransport),
  ),
});

function consumedQueuesOf(names: readonly QueueName[]) {
  const queues: ConsumedQueue[] = names.map((name) => ({ name, concurrency: concurrencyOf(name) }));
  const delivers = names.some((name) => name !== 'push-control');
  const isControlled = names.includes('push-control');
  return {
    queues,
    handlers: [
      ...(delivers ? [DeliveryJob, RemoteDeliveryJob] : []),
      ...(isControlled
        ? [AccountLogoutJob, DeviceRegistrationJob, MessageFanOutJob, TokenChangesJob]
        : []),
    ],
  };
}

function concurrencyOf(name: QueueName): number {
  if (name === 'push-control') return CONTROL_CONCURRENCY;
  const isBulk = platforms.some((platform) => platformQueue(platform, 'bulk') === name);
  return isBulk ? BULK_CONCURRENCY : URGENT_CONCURRENCY;
}
