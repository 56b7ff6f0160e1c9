import {
  type DynamicModule,
  Module,
  type ModuleMetadata,
  type Provider,
  type Type,
} from '@nestjs/common';
import { GroupMentions, MentionRepository } from '#chat/messages';
import { GuestAccessModule } from '#directory/guest-access';
import { pushJobs, type QueueName } from '#push/jobs';
import { IdempotencyKeyRepository } from '#platform/idempotency';
import { QueueConsumerModule } from '#platform/queue';
import { TelemetryModule } from '#platform/telemetry';
import { CircuitBreakers, TokenPruneGuard } from '#push/breakers';
import {
  DeliveryJob,
  deliveryProviders,
  directDeliveryProviders,
  FEEDBACK_SETTINGS,
  type FeedbackSettings,
  FeedbackSweep,
  LEASE_MS,
  LedgerSweep,
  OwnTokenCleanup,
  PLATFORM_CONCURRENCY,
  PlatformPools,
  PUSH_TRANSPORTS,
  type PushTransports,
  relayedDeliveryProviders,
  RETENTION,
  type Retention,
  RetentionSweep,
  SWEEP_TASKS,
  SWEEP_TIMING,
  Sweeper,
  type SweepTask,
  type SweepTiming,
  TOKEN_AGES,
  TOKEN_CLEANUPS,
  type TokenAges,
  type TokenCleanup,
} from '#push/delivery';
import {
  AccountLogoutJob,
  ClientTokens,
  DeviceAgeRepository,
  DeviceRegistrationModule,
  LateSubscriptions,
  LogoutRepository,
  LogoutSweep,
  NOTIFICATION_TARGETS,
  PUSH_TARGETS,
  PushDeviceRevoker,
  RELAY_TARGETS,
  TokenRequests,
  WebPushStoreModule,
} from '#push/devices';
import {
  ContentReader,
  DecidedAgainRepository,
  DeferralRepository,
  DeferredDecisions,
  DeliveryQueue,
  DueReminders,
  MessageContentRepository,
  BadgeRepository,
  MessageFanOutJob,
  MessageFanOutRepository,
  MessageFanOuts,
  MessageNotificationRepository,
  NotificationReview,
  PUSH_EXTERNAL_URL,
  PUSH_REDACTS_CONTENT,
  QuietTimes,
  QuietTimesContinuation,
  QuietTimesRepository,
  OffScreenMessagesRepository,
  RemovalPageJob,
  ReminderRepository,
  RemovalPageRepository,
  RemovalPages,
  ReviewRepository,
  SecondReviews,
  TIME_TO_LIVE,
  timeToLiveOf,
  UnwantedMessages,
} from '#push/notifications';
import {
  PushObserveModule,
  REPORTED_SETTINGS,
  type ReportedSettings,
  workerObservers,
} from '#push/observability';
import { UnconfiguredTransport } from '#push/providers';
import {
  DEVICE_CHANGES,
  PushServiceModule,
  RealmUploadTask,
  RelayMetrics,
  type RelaySettings,
  TokenChangesJob,
} from '#push/relay';
import { ReceiptRepository, ReceiptsSweep } from '#push/receipts';
import { PushRevocationsModule, RevokedPushes } from '#push/revocations';
import {
  TenantDeliveryJob,
  TenantDeliveryModule,
  TenantSweep,
  TenantTokenCleanup,
  tenantDeliveryProviders,
} from '#push/tenants';
import { consumedQueuesOf } from './consumed-queues.js';

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
  readonly feedback: FeedbackSettings;
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
          jobs: pushJobs,
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

/** Messages with many recipients, those for people who have left, and those that are decided again. */
const decisionProviders = [
  DecidedAgainRepository,
  DeferralRepository,
  DeferredDecisions,
  DueReminders,
  GroupMentions,
  MentionRepository,
  MessageFanOutJob,
  MessageFanOutRepository,
  MessageFanOuts,
  MessageNotificationRepository,
  NotificationReview,
  QuietTimes,
  QuietTimesContinuation,
  QuietTimesRepository,
  RemovalPageJob,
  ReminderRepository,
  RemovalPageRepository,
  RemovalPages,
  ReviewRepository,
  SecondReviews,
  UnwantedMessages,
];

/** Provides the instances of some providers as a list. */
function listOf<Item>(token: symbol, providers: readonly (Type<Item> | symbol)[]): Provider {
  return {
    provide: token,
    inject: [...providers],
    useFactory: (...instances: Item[]) => instances,
  };
}

/** The tasks of the sweep, in their order. */
const sweepTasks: readonly (Type<SweepTask> | symbol)[] = [
  LogoutSweep,
  TokenRequests,
  MessageFanOuts,
  RemovalPages,
  DEVICE_CHANGES,
  LedgerSweep,
  TenantSweep,
  FeedbackSweep,
  ReceiptsSweep,
  RetentionSweep,
];

/** The providers of a server that sends to Apple and Google itself. */
const directProviders: readonly Provider[] = [
  ...directDeliveryProviders,
  { provide: NOTIFICATION_TARGETS, useValue: PUSH_TARGETS },
];

/** The providers of a server that relays. */
const relayProviders: readonly Provider[] = [
  ...relayedDeliveryProviders,
  RealmUploadTask,
  RelayMetrics,
  { provide: NOTIFICATION_TARGETS, useValue: RELAY_TARGETS },
];

/** The clean-ups of stale tokens. A server that relays leaves the tokens of its devices to the push service. */
export const tokenCleanupsOf = (relay: RelaySettings | null): readonly Type<TokenCleanup>[] =>
  relay === null
    ? [OwnTokenCleanup, TenantTokenCleanup, LateSubscriptions]
    : [TenantTokenCleanup, LateSubscriptions];

/** The job handlers and their dependencies. */
@Module({})
class PushJobsModule {
  static with(options: PushWorkerOptions): DynamicModule {
    const { relay = null } = options;
    return {
      module: PushJobsModule,
      imports: [
        ...options.imports,
        DeviceRegistrationModule,
        GuestAccessModule,
        PushObserveModule,
        PushRevocationsModule,
        PushServiceModule.with(options.keySecret, relay),
        TenantDeliveryModule,
        TelemetryModule,
        WebPushStoreModule,
      ],
      providers: [
        AccountLogoutJob,
        CircuitBreakers,
        ClientTokens,
        ContentReader,
        DeliveryQueue,
        DeviceAgeRepository,
        IdempotencyKeyRepository,
        LateSubscriptions,
        LogoutRepository,
        LogoutSweep,
        BadgeRepository,
        MessageContentRepository,
        PushDeviceRevoker,
        ReceiptRepository,
        ReceiptsSweep,
        OffScreenMessagesRepository,
        RevokedPushes,
        TokenChangesJob,
        TokenPruneGuard,
        ...decisionProviders,
        ...deliveryProviders,
        ...tenantDeliveryProviders,
        ...workerObservers,
        listOf<SweepTask>(SWEEP_TASKS, sweepTasks),
        listOf<TokenCleanup>(TOKEN_CLEANUPS, tokenCleanupsOf(relay)),
        ...(relay === null ? directProviders : relayProviders),
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
        RemovalPageJob,
        TenantDeliveryJob,
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
  { provide: FEEDBACK_SETTINGS, useValue: options.feedback },
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
