import path from 'node:path';
import { type DynamicModule, Module } from '@nestjs/common';
import { AuthModule } from '#auth';
import { ChannelsModule } from '#channels';
import type { ApiGatewayConfig } from '#config';
import { CLOCK, Drain, systemClock } from '#core';
import { DatabaseModule } from '#database';
import { DevicesModule } from '#devices';
import { EdgeModule } from '#edge';
import { EmojiModule } from '#emoji';
import { IdempotencyModule, TrimKeys } from '#idempotency';
import { MessagesModule } from '#messages';
import { ModerationModule } from '#moderation';
import { MutedUsersModule } from '#muted-users';
import { PlaygroundsModule } from '#playgrounds';
import { PresenceClientModule, PresenceReadingModule } from '#presence';
import { ProfileFieldsModule } from '#profile-fields';
import { PushOperatorModule, PushProducerModule } from '#push';
import { LimitsModule, RateLimitsModule } from '#rate-limits';
import { RedisModule } from '#redis';
import { SavedSnippetsModule } from '#saved-snippets';
import { SettingsModule } from '#settings';
import { TelemetryModule } from '#telemetry';
import { UploadsModule } from '#uploads';
import { UserGroupsModule } from '#user-groups';
import { UserStatusModule } from '#user-status';
import { UsersModule } from '#users';
import { VideoCallsModule } from '#video-calls';
import { WelcomeMessageModule } from '#welcome-message';
import { ApiKeyController } from './account/api-key.controller.js';
import { ChannelsController } from './channels/channels.controller.js';
import { DefaultChannelsController } from './channels/default-channels.controller.js';
import { DevicesController } from './devices/devices.controller.js';
import { EmojiController } from './emoji/emoji.controller.js';
import { DrainAtShutdown } from './health/drain-at-shutdown.js';
import { healthChecks } from './health/health-checks.js';
import { HealthController } from './health/health.controller.js';
import { METRICS_ADDRESS, MetricsEndpoint } from './health/metrics-endpoint.js';
import { MessagesController } from './messages/messages.controller.js';
import { ModerationController } from './moderation/moderation.controller.js';
import { MutedUsersController } from './muted-users/muted-users.controller.js';
import { OpsModule } from './ops/ops.module.js';
import { PlaygroundsController } from './playgrounds/playgrounds.controller.js';
import { PresenceController } from './presence/presence.controller.js';
import { ProfileFieldsController } from './profile-fields/profile-fields.controller.js';
import { TestNotificationController } from './push/test-notification.controller.js';
import { SavedSnippetsController } from './saved-snippets/saved-snippets.controller.js';
import { SettingsController } from './settings/settings.controller.js';
import { UploadsController } from './uploads/uploads.controller.js';
import { UserGroupsController } from './user-groups/user-groups.controller.js';
import { UserStatusController } from './user-status/user-status.controller.js';
import { UsersController } from './users/users.controller.js';
import { CompletionController } from './video-calls/completion.controller.js';
import { VideoCallsController } from './video-calls/video-calls.controller.js';
import { WelcomeMessageController } from './welcome-message/welcome-message.controller.js';

/** The controllers whose routes are endpoints of the API. */
export const endpointControllers = [
  ApiKeyController,
  ChannelsController,
  DefaultChannelsController,
  DevicesController,
  EmojiController,
  MessagesController,
  ModerationController,
  MutedUsersController,
  PlaygroundsController,
  PresenceController,
  ProfileFieldsController,
  SavedSnippetsController,
  SettingsController,
  TestNotificationController,
  UploadsController,
  UserGroupsController,
  UserStatusController,
  UsersController,
  VideoCallsController,
  WelcomeMessageController,
] as const;

/** What the endpoints are made of, as far as it needs no configuration. */
const modulesWithoutOptions = [
  ChannelsModule,
  DevicesModule,
  EmojiModule,
  IdempotencyModule,
  MessagesModule,
  ModerationModule,
  MutedUsersModule,
  PlaygroundsModule,
  ProfileFieldsModule,
  SavedSnippetsModule,
  SettingsModule,
  TelemetryModule,
  UserGroupsModule,
  UserStatusModule,
  UsersModule,
  WelcomeMessageModule,
];

@Module({})
export class ApiGatewayModule {
  static with(config: ApiGatewayConfig): DynamicModule {
    const rateLimits = RateLimitsModule.with({
      user: config.rateLimits.perUser,
      address: config.rateLimits.perAddress,
      file: config.rateLimits.ofFiles,
      'sign-in': config.auth.signInRules,
      'test-notification': config.rateLimits.testNotifications,
    });
    const push = PushProducerModule.with({
      redisUrl: config.redis.url,
      ...config.push,
    });
    return {
      module: ApiGatewayModule,
      imports: [
        DatabaseModule.connect(config.database),
        LimitsModule.with(config.limits),
        RedisModule.connect(config.redis.url),
        AuthModule.with({
          apiKeySecret: config.auth.apiKeySecret,
          cacheSeconds: config.auth.cacheSeconds,
          externalUrl: config.http.externalUrl,
          imports: [rateLimits, push],
        }),
        EdgeModule.withFiles({
          folder: path.join(config.uploads.folder, 'spool'),
          limitMib: config.uploads.limitMib,
        }),
        PresenceClientModule.connect(config.presence),
        PresenceReadingModule.with(config.presence.timing),
        push,
        rateLimits,
        ...modulesWithoutOptions,
        OpsModule.with({
          token: config.ops.token,
          externalUrl: config.http.externalUrl,
          imports: [rateLimits, push, PushOperatorModule.with({ imports: [push] })],
        }),
        UploadsModule.with({ ...config.uploads, secret: config.auth.apiKeySecret }),
        VideoCallsModule.with(config.videoCalls),
      ],
      controllers: [...endpointControllers, CompletionController, HealthController],
      providers: [
        { provide: CLOCK, useValue: systemClock },
        { provide: Drain, useFactory: () => new Drain(config.http.shutdownDelayMs) },
        DrainAtShutdown,
        healthChecks,
        { provide: METRICS_ADDRESS, useValue: config.metrics },
        MetricsEndpoint,
        TrimKeys,
      ],
    };
  }
}
