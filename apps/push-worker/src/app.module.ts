import { type DynamicModule, Module } from '@nestjs/common';
import { AccountRepository, AuthVersionStore } from '#auth';
import type { PushWorkerConfig } from '#config';
import { DatabaseModule } from '#database';
import { ACCOUNT_CHANGE_PUBLISHER, type PushTransports, PushWorkerModule } from '#push';
import { RedisModule } from '#redis';
import { HEALTH_ADDRESS, HealthEndpoint } from './health-endpoint.js';

/** Between two passes over what PostgreSQL says is still to do. */
const SWEEP_EVERY_MS = 2_000;
/** Beyond the deadline of a push: room to write down what came of it. */
const SWEEP_SLACK_MS = 5_000;

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
  static with(config: PushWorkerConfig, transports: PushTransports): DynamicModule {
    return {
      module: AppModule,
      imports: [
        DatabaseModule.connect(config.database),
        RedisModule.connect(config.redis.url),
        PushWorkerModule.with({
          redisUrl: config.redis.url,
          externalUrl: config.externalUrl,
          transports,
          concurrency: config.concurrency,
          sweep: {
            everyMs: SWEEP_EVERY_MS,
            pendingAgeMs: config.deadlineMs + SWEEP_SLACK_MS,
          },
          imports: [AccountChangesModule],
        }),
      ],
      providers: [{ provide: HEALTH_ADDRESS, useValue: config.health }, HealthEndpoint],
    };
  }
}
