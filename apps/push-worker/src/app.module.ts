import { type DynamicModule, Module } from '@nestjs/common';
import { AccountRepository, AuthVersionStore } from '#auth';
import type { PushWorkerConfig } from '#config';
import { DatabaseModule } from '#database';
import { ACCOUNT_CHANGE_PUBLISHER, PushWorkerModule } from '#push';
import { RedisModule } from '#redis';
import { TelemetryModule } from '#telemetry';
import { CredentialRotation, OPENED_TRANSPORTS } from './credential-rotation.js';
import { HEALTH_ADDRESS, HealthEndpoint } from './health-endpoint.js';
import type { OpenedTransports } from './open-transports.js';

/** Between two passes over what PostgreSQL says is still to do. */
const SWEEP_EVERY_MS = 2_000;
/** What a queue that is not behind has not got done in so long was lost. */
const SWEEP_PATIENCE_MS = 3_000;
/** Beyond the deadline of a push: room to write down what came of it. */
const LEASE_SLACK_MS = 5_000;

/** Who hears of changed accounts: the gateways, by way of Redis. */
@Module({
  providers: [
    AccountRepository,
    AuthVersionStore,
    { provide: ACCOUNT_CHANGE_PUBLISHER, useExisting: AuthVersionStore },
  ],
  exports: [ACCOUNT_CHANGE_PUBLISHER],
})
class AccountChangesModule {}

@Module({})
export class AppModule {
  static with(config: PushWorkerConfig, opened: OpenedTransports): DynamicModule {
    return {
      module: AppModule,
      imports: [
        DatabaseModule.connect({ ...config.database, findsByIndex: true }),
        RedisModule.connect(config.redis.url),
        TelemetryModule,
        PushWorkerModule.with({
          redisUrl: config.redis.url,
          externalUrl: config.externalUrl,
          transports: opened.transports,
          concurrency: config.concurrency,
          queues: config.queues.map((name) => `push-${name}` as const),
          leaseMs: config.deadlineMs + LEASE_SLACK_MS,
          redactsContent: config.redactsContent,
          sweep: { everyMs: SWEEP_EVERY_MS, patienceMs: SWEEP_PATIENCE_MS },
          retention: config.retention,
          imports: [AccountChangesModule],
        }),
      ],
      providers: [
        CredentialRotation,
        HealthEndpoint,
        { provide: HEALTH_ADDRESS, useValue: config.health },
        { provide: OPENED_TRANSPORTS, useValue: opened },
      ],
    };
  }
}
