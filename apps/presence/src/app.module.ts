import { type DynamicModule, Module } from '@nestjs/common';
import type { PresenceConfig } from '#platform/config';
import { DatabaseModule } from '#platform/database';
import { RedisModule } from '#platform/redis';
import { SharedSettingsModule } from '#platform/shared-settings';
import { TelemetryModule } from '#platform/telemetry';
import { PresenceServiceModule } from '#presence/server';
import { presenceTimingOf } from '#presence/rules';

/** The presence program: it owns the presence keys in Redis and everyone's last seen. */
@Module({})
export class AppModule {
  static with(config: PresenceConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        DatabaseModule.connect(config.database),
        RedisModule.connect(config.commonRedis.url),
        SharedSettingsModule.of('presence', config.shared),
        TelemetryModule,
        PresenceServiceModule.serve({
          redisUrl: config.redis.urls,
          timing: presenceTimingOf(config.timing),
          batchMs: config.batchMs,
          flushSeconds: config.flushSeconds,
          limitsAccess: config.limitsAccess,
          rpc: config.rpc,
          secret: config.secret,
        }),
      ],
    };
  }
}
