import { type DynamicModule, Module } from '@nestjs/common';
import { AccountRepository, AuthVersionStore, SignInLeaseStore } from '#directory/auth';
import { type PushWorkerConfig, storePlace } from '#platform/config';
import { DatabaseModule } from '#platform/database';
import { QueueModule } from '#platform/queue';
import { RedisModule } from '#platform/redis';
import { SettingsComparison, SharedSettingsModule } from '#platform/shared-settings';
import { TelemetryModule } from '#platform/telemetry';
import { type FeedbackSettings, LEASE_SLACK_MS } from '#push/delivery';
import { ACCOUNT_CHANGE_PUBLISHER } from '#push/devices';
import { pushJobs } from '#push/jobs';
import { CredentialRotation, PROVIDER_TRANSPORTS } from './credential-rotation.js';
import { HEALTH_SETTINGS, HealthEndpoint, type HealthSettings } from './health-endpoint.js';
import { longestSendMs, type ProviderTransports, relaySettingsOf } from './open-transports.js';
import { PushWorkerModule } from './push-worker.module.js';
import { WebPushKeyBinding } from './web-push-key-binding.js';

/** The interval of the sweeper. */
const SWEEP_EVERY_MS = 2_000;
/** The interval in which ended deliveries are posted. */
const FEEDBACK_EVERY_MS = 5_000;
/** A delivery that is overdue for longer counts as one with a lost job, unless its queue has a backlog. */
const SWEEP_GRACE_PERIOD_MS = 3_000;

/** What operators want to learn of ended deliveries, and the way to them. */
const feedbackOf = (
  { feedback }: PushWorkerConfig,
  { proxy }: ProviderTransports,
): FeedbackSettings => ({
  ...feedback,
  webhook: feedback.webhook && { ...feedback.webhook, everyMs: FEEDBACK_EVERY_MS, proxy },
});

/** Publishes account changes to the gateways over Redis. */
@Module({
  providers: [
    AccountRepository,
    AuthVersionStore,
    SignInLeaseStore,
    { provide: ACCOUNT_CHANGE_PUBLISHER, useExisting: AuthVersionStore },
  ],
  exports: [ACCOUNT_CHANGE_PUBLISHER],
})
class AccountChangesModule {}

@Module({})
export class AppModule {
  static with(config: PushWorkerConfig, opened: ProviderTransports): DynamicModule {
    const { queues } = config;
    return {
      module: AppModule,
      imports: [
        DatabaseModule.connect({ ...config.database, findsByIndex: true }),
        RedisModule.connect(config.redis.url),
        QueueModule.connect(config.queueRedis.urls, pushJobs),
        SharedSettingsModule.of('push-worker', config.shared),
        TelemetryModule,
        PushWorkerModule.with({
          queueRedisUrls: config.queueRedis.urls,
          externalUrl: config.externalUrl,
          transports: opened.transports,
          concurrency: config.concurrency,
          queues,
          leaseMs: longestSendMs(config) + LEASE_SLACK_MS,
          redactsContent: config.redactsContent,
          timeToLiveMs: config.timeToLiveMs,
          keySecret: config.keySecret,
          relay: relaySettingsOf(config, opened.proxy),
          sweep: { everyMs: SWEEP_EVERY_MS, gracePeriodMs: SWEEP_GRACE_PERIOD_MS },
          retention: config.retention,
          feedback: feedbackOf(config, opened),
          tokenAges: config.tokenAges,
          imports: [AccountChangesModule],
        }),
      ],
      providers: [
        CredentialRotation,
        HealthEndpoint,
        WebPushKeyBinding,
        {
          provide: HEALTH_SETTINGS,
          inject: [SettingsComparison],
          useFactory: ({ healthCheck, clockCheck }: SettingsComparison): HealthSettings => ({
            ...config.health,
            queues,
            queuesPlace: storePlace(config.queueRedis.urls, config.queueRedis.variable),
            checks: [healthCheck, clockCheck],
          }),
        },
        { provide: PROVIDER_TRANSPORTS, useValue: opened },
      ],
    };
  }
}
