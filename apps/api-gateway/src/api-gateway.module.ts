import path from 'node:path';
import { type DynamicModule, Module } from '@nestjs/common';
import { ChannelNoticesModule } from '#chat/channel-notices';
import { LeftChannelsModule } from '#chat/messages';
import { UploadsModule } from '#chat/uploads';
import { VideoCallsModule } from '#chat/video-calls';
import { AuthModule } from '#directory/auth';
import { GuestQueuesModule } from '#directory/guest-access';
import { RealmStateModule } from '#directory/realm-state';
import { UsersModule } from '#directory/users';
import { PollingModule } from '#events/polling';
import type { ApiGatewayConfig } from '#platform/config';
import { CollectionAtRest, Drain } from '#platform/core';
import { DatabaseModule } from '#platform/database';
import { EdgeModule, type Endpoints } from '#platform/http';
import type { OutboundProxy } from '#platform/outbound';
import { QueueModule } from '#platform/queue';
import { LimitsModule, RateLimitsModule } from '#platform/rate-limits';
import { RedisModule } from '#platform/redis';
import { SharedSettingsModule } from '#platform/shared-settings';
import { TelemetryModule } from '#platform/telemetry';
import { PresenceClientModule } from '#presence/client';
import { PresenceReadingModule } from '#presence/reading';
import { presenceTimingOf } from '#presence/rules';
import { PushOperatorModule } from '#push/admin';
import { OpsModule } from '#push/admin/endpoints';
import { WebPushModule } from '#push/devices';
import { pushJobs } from '#push/jobs';
import { PushProducerModule, TestNotificationsModule } from '#push/notifications';
import { ReceiptsModule } from '#push/receipts';
import { PushServiceModule } from '#push/relay';
import { TenantsModule } from '#push/tenants';
import { tenantsEndpoints } from '#push/tenants/endpoints';
import * as capabilities from './endpoints.js';
import { DrainAtShutdown } from './health/drain-at-shutdown.js';
import { healthChecks } from './health/health-checks.js';
import { HealthController } from './health/health.controller.js';
import { METRICS_ADDRESS, MetricsEndpoint } from './health/metrics-endpoint.js';
import { rateLimitRulesOf } from './rate-limit-rules.js';

/** The endpoints of every gateway, by capability. */
export const commonEndpoints: readonly Endpoints[] = Object.values(capabilities);

const modulesWithoutEndpoints = [
  ChannelNoticesModule,
  GuestQueuesModule,
  LeftChannelsModule,
  TelemetryModule,
];

@Module({})
export class ApiGatewayModule {
  /** `proxy` is the way of requests to other servers; undefined for a direct one. */
  static with(config: ApiGatewayConfig, proxy?: OutboundProxy): DynamicModule {
    const rateLimits = RateLimitsModule.with(rateLimitRulesOf(config));
    const { keySecret, relay, webPushEndpoints, ...pushOptions } = config.push;
    const { externalUrl } = config.http;
    const endpoints =
      config.pushService === null ? commonEndpoints : [...commonEndpoints, tenantsEndpoints];
    const push = PushProducerModule.with({ ...pushOptions, relay });
    return {
      module: ApiGatewayModule,
      imports: [
        DatabaseModule.connect(config.database),
        LimitsModule.with(config.limits),
        RedisModule.connect(config.redis.url),
        QueueModule.connect(config.queueRedis.urls, pushJobs),
        SharedSettingsModule.of('api-gateway', config.shared),
        AuthModule.with({
          apiKeySecret: config.auth.apiKeySecret,
          cacheSeconds: config.auth.cacheSeconds,
          externalUrl,
          imports: [rateLimits, push],
        }),
        PresenceClientModule.connect(config.presence),
        PollingModule.with({ imports: [rateLimits] }),
        PresenceReadingModule.with(presenceTimingOf(config.presence.timing), externalUrl),
        PushServiceModule.with(keySecret, relay && { ...relay, externalUrl, proxy }),
        push,
        rateLimits,
        ...endpoints.flatMap(({ imports = [] }) => imports),
        ...pushServiceOf(config, rateLimits, proxy),
        ...modulesWithoutEndpoints,
        OpsModule.with({
          token: config.ops.token,
          externalUrl,
          imports: [rateLimits, push, PushOperatorModule.with({ imports: [push] }), UsersModule],
        }),
        RealmStateModule.with({
          largestFileMib: config.uploads.limitMib,
          presenceTiming: config.presence.timing,
        }),
        ReceiptsModule.with({ imports: [rateLimits] }),
        TestNotificationsModule.with({ imports: [rateLimits], relay }),
        WebPushModule.with({ imports: [rateLimits, push], policy: webPushEndpoints }),
        ...uploadsOf(config, proxy),
        VideoCallsModule.with({ ...config.videoCalls, proxy }),
      ],
      controllers: [...endpoints.flatMap(({ controllers }) => controllers), HealthController],
      providers: [
        { provide: Drain, useFactory: () => new Drain(config.http.shutdownDelayMs) },
        DrainAtShutdown,
        { provide: CollectionAtRest, useFactory: () => new CollectionAtRest() },
        healthChecks,
        { provide: METRICS_ADDRESS, useValue: config.metrics },
        MetricsEndpoint,
      ],
    };
  }
}

/** What receives files, and what stores them in a folder or a bucket. */
const uploadsOf = ({ uploads, auth }: ApiGatewayConfig, proxy?: OutboundProxy): DynamicModule[] => [
  EdgeModule.withFiles({
    folder: path.join(uploads.folder, 'spool'),
    limitMib: uploads.limitMib,
    leastFreeMib: uploads.leastFreeMib,
  }),
  UploadsModule.with({
    ...uploads,
    s3: uploads.s3 && { ...uploads.s3, proxy },
    secret: auth.apiKeySecret,
  }),
];

/** The push service for the servers of other installations, if there is one. */
const pushServiceOf = (
  { pushService, push, limits }: ApiGatewayConfig,
  rateLimits: DynamicModule,
  proxy?: OutboundProxy,
): DynamicModule[] =>
  pushService === null
    ? []
    : [
        TenantsModule.with({
          ...pushService,
          proxy,
          timeToLiveMs: push.timeToLiveMs,
          devices: limits.devices,
          imports: [rateLimits],
        }),
      ];
