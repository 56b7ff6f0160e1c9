import { type DynamicModule, Module } from '@nestjs/common';
import { AuthModule } from '#auth';
import type { ApiGatewayConfig } from '#config';
import { CLOCK, type HealthCheck, systemClock } from '#core';
import { Database, DatabaseModule } from '#database';
import { DevicesModule } from '#devices';
import { EdgeModule } from '#edge';
import { PresenceClientModule } from '#presence';
import { PushProducerModule } from '#push';
import { RateLimitsModule } from '#rate-limits';
import { REDIS, type Redis, RedisModule } from '#redis';
import { ApiKeyController } from './account/api-key.controller.js';
import { DevicesController } from './devices/devices.controller.js';
import { HEALTH_CHECKS, HealthController } from './health/health.controller.js';
import { PresenceController } from './presence/presence.controller.js';
import { TestNotificationController } from './push/test-notification.controller.js';

/** The controllers whose routes are endpoints of the API. */
export const endpointControllers = [
  ApiKeyController,
  DevicesController,
  PresenceController,
  TestNotificationController,
] as const;

@Module({})
export class ApiGatewayModule {
  static with(config: ApiGatewayConfig): DynamicModule {
    const rateLimits = RateLimitsModule.with({
      user: config.rateLimits.perUser,
      address: config.rateLimits.perAddress,
      'sign-in': config.auth.signInRules,
    });
    const push = PushProducerModule.with({
      redisUrl: config.redis.url,
      testWaitMs: config.push.testWaitMs,
    });
    return {
      module: ApiGatewayModule,
      imports: [
        DatabaseModule.connect(config.database),
        RedisModule.connect(config.redis.url),
        AuthModule.with({
          apiKeySecret: config.auth.apiKeySecret,
          cacheSeconds: config.auth.cacheSeconds,
          externalUrl: config.http.externalUrl,
          imports: [rateLimits, push],
        }),
        EdgeModule,
        PresenceClientModule.connect(config.presence),
        DevicesModule,
        push,
      ],
      controllers: [...endpointControllers, HealthController],
      providers: [
        { provide: CLOCK, useValue: systemClock },
        { provide: HEALTH_CHECKS, useFactory: healthChecks, inject: [Database, REDIS] },
      ],
    };
  }
}

const healthChecks = (database: Database, redis: Redis): readonly HealthCheck[] => [
  { name: 'postgresql', check: () => database.ping() },
  { name: 'redis', check: async () => void (await redis.ping()) },
];
