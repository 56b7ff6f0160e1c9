import path from 'node:path';
import { type DynamicModule, Module } from '@nestjs/common';
import { ChannelNoticesModule } from '#chat/channel-notices';
import { AlertWordsModule } from '#chat/alert-words';
import { AlertWordsController } from '#chat/alert-words/endpoints';
import { BotStorageModule } from '#chat/bot-storage';
import { BotStorageController } from '#chat/bot-storage/endpoints';
import { ChannelsModule } from '#chat/channels';
import {
  ChannelChangingController,
  ChannelFoldersController,
  ChannelReadingController,
  ChannelsController,
  RealmSettingsController,
  SubscriptionsController,
} from '#chat/channels/endpoints';
import { DraftsModule } from '#chat/drafts';
import { DraftsController } from '#chat/drafts/endpoints';
import { EmojiModule } from '#chat/emoji';
import { EmojiController } from '#chat/emoji/endpoints';
import { LinkifiersModule } from '#chat/linkifiers';
import { LinkifiersController } from '#chat/linkifiers/endpoints';
import { LeftChannelsModule, MessagesModule } from '#chat/messages';
import {
  FetchController,
  MessageChangesController,
  MessagesController,
  SubmessagesController,
} from '#chat/messages/endpoints';
import { ModerationModule } from '#chat/moderation';
import { ModerationController } from '#chat/moderation/endpoints';
import { MutedUsersModule } from '#chat/muting';
import { MutedUsersController } from '#chat/muting/endpoints';
import { PlaygroundsModule } from '#chat/playgrounds';
import { PlaygroundsController } from '#chat/playgrounds/endpoints';
import { ReactionsModule } from '#chat/reactions';
import { ReactionsController } from '#chat/reactions/endpoints';
import { SavedSnippetsModule } from '#chat/saved-snippets';
import { SavedSnippetsController } from '#chat/saved-snippets/endpoints';
import { ScheduledMessagesModule } from '#chat/scheduled-messages';
import { ScheduledMessagesController } from '#chat/scheduled-messages/endpoints';
import { TypingModule } from '#chat/typing';
import { TypingController } from '#chat/typing/endpoints';
import { UploadsModule } from '#chat/uploads';
import { UploadsController } from '#chat/uploads/endpoints';
import { UserStatusModule } from '#chat/user-status';
import { UserStatusController } from '#chat/user-status/endpoints';
import { UserTopicsModule } from '#chat/user-topics';
import { UserTopicsController } from '#chat/user-topics/endpoints';
import { VideoCallsModule } from '#chat/video-calls';
import { CompletionController, VideoCallsController } from '#chat/video-calls/endpoints';
import { WelcomeMessageModule } from '#chat/welcome-message';
import { WelcomeMessageController } from '#chat/welcome-message/endpoints';
import { AuthModule } from '#directory/auth';
import { ApiKeyController } from '#directory/auth/endpoints';
import { AvatarsController } from '#directory/avatars/endpoints';
import { UserGroupsModule } from '#directory/groups';
import { GroupChangesController, UserGroupsController } from '#directory/groups/endpoints';
import { GuestQueuesModule } from '#directory/guest-access';
import { ProfileFieldsModule } from '#directory/profile-fields';
import { ProfileFieldsController } from '#directory/profile-fields/endpoints';
import { RealmStateModule } from '#directory/realm-state';
import { ServerSettingsModule } from '#directory/server-settings';
import { ServerSettingsController } from '#directory/server-settings/endpoints';
import { SettingsModule } from '#directory/settings';
import { SettingsController } from '#directory/settings/endpoints';
import { UserAdministrationModule } from '#directory/user-administration';
import { UserAdministrationController } from '#directory/user-administration/endpoints';
import { UsersModule } from '#directory/users';
import { UsersController } from '#directory/users/endpoints';
import { PollingModule } from '#events/polling';
import { EventsController } from '#events/polling/endpoints';
import { RegisterModule } from '#events/register';
import { RegisterController } from '#events/register/endpoints';
import type { ApiGatewayConfig } from '#platform/config';
import { CollectionAtRest, Drain } from '#platform/core';
import { DatabaseModule } from '#platform/database';
import { EdgeModule } from '#platform/http';
import { IdempotencyModule } from '#platform/idempotency';
import { QueueModule } from '#platform/queue';
import { LimitsModule, type RateLimitRules, RateLimitsModule } from '#platform/rate-limits';
import { RedisModule } from '#platform/redis';
import { SharedSettingsModule } from '#platform/shared-settings';
import { TelemetryModule } from '#platform/telemetry';
import { PresenceClientModule } from '#presence/client';
import { PresenceController } from '#presence/http/endpoints';
import { PresenceReadingModule } from '#presence/reading';
import { presenceTimingOf } from '#presence/rules';
import { PushOperatorModule } from '#push/admin';
import { OpsModule } from '#push/admin/endpoints';
import { DevicesModule, PushRegistrationModule } from '#push/devices';
import { ClientDevicesController, DevicesController } from '#push/devices/endpoints';
import { pushJobs } from '#push/jobs';
import { PushProducerModule, TestNotificationsModule } from '#push/notifications';
import { TestNotificationController } from '#push/notifications/endpoints';
import { TenantsModule } from '#push/tenants';
import {
  AnalyticsController,
  TenantDevicesController,
  TenantNotifyController,
  TenantsController,
} from '#push/tenants/endpoints';
import { RelayRegistrationController } from '#push/relay/endpoints';
import { PushServiceModule } from '#push/relay';
import { DrainAtShutdown } from './health/drain-at-shutdown.js';
import { healthChecks } from './health/health-checks.js';
import { HealthController } from './health/health.controller.js';
import { METRICS_ADDRESS, MetricsEndpoint } from './health/metrics-endpoint.js';

/** The controllers of the API endpoints. */
export const endpointControllers = [
  AlertWordsController,
  ApiKeyController,
  AvatarsController,
  ChannelChangingController,
  ChannelFoldersController,
  ChannelReadingController,
  BotStorageController,
  ChannelsController,
  ClientDevicesController,
  DevicesController,
  DraftsController,
  EmojiController,
  EventsController,
  LinkifiersController,
  MessageChangesController,
  FetchController,
  GroupChangesController,
  MessagesController,
  ModerationController,
  MutedUsersController,
  PlaygroundsController,
  PresenceController,
  ProfileFieldsController,
  ReactionsController,
  RegisterController,
  RelayRegistrationController,
  SavedSnippetsController,
  ScheduledMessagesController,
  ServerSettingsController,
  SettingsController,
  RealmSettingsController,
  SubscriptionsController,
  SubmessagesController,
  TestNotificationController,
  TypingController,
  UploadsController,
  UserAdministrationController,
  UserGroupsController,
  UserStatusController,
  UserTopicsController,
  UsersController,
  VideoCallsController,
  WelcomeMessageController,
] as const;

/** The controllers of the endpoints for the servers of other installations. */
export const remoteControllers = [
  AnalyticsController,
  TenantDevicesController,
  TenantNotifyController,
  TenantsController,
] as const;

/** The controllers that a gateway with this configuration serves. */
export const controllersOf = ({ pushService }: Pick<ApiGatewayConfig, 'pushService'>) =>
  pushService === null ? endpointControllers : [...endpointControllers, ...remoteControllers];

/** The imported modules that need no configuration. */
const modulesWithoutOptions = [
  ChannelNoticesModule,
  AlertWordsModule,
  BotStorageModule,
  ChannelsModule,
  DevicesModule,
  DraftsModule,
  EmojiModule,
  GuestQueuesModule,
  IdempotencyModule,
  LeftChannelsModule,
  LinkifiersModule,
  MessagesModule,
  ModerationModule,
  MutedUsersModule,
  PlaygroundsModule,
  ProfileFieldsModule,
  PushRegistrationModule,
  ReactionsModule,
  RegisterModule,
  SavedSnippetsModule,
  ScheduledMessagesModule,
  ServerSettingsModule,
  SettingsModule,
  TelemetryModule,
  TypingModule,
  UserAdministrationModule,
  UserGroupsModule,
  UserStatusModule,
  UserTopicsModule,
  UsersModule,
  WelcomeMessageModule,
];

/** Of all servers together: each makes this server send a request. */
const TRANSFERS_A_DAY = 30;
/** Of one address, so that it cannot use up the transfers of all. */
const TRANSFERS_OF_ADDRESS_A_DAY = 5;

@Module({})
export class ApiGatewayModule {
  static with(config: ApiGatewayConfig): DynamicModule {
    const rateLimits = RateLimitsModule.with(rulesOf(config));
    const { keySecret, relay, ...pushOptions } = config.push;
    const { externalUrl } = config.http;
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
        EdgeModule.withFiles({
          folder: path.join(config.uploads.folder, 'spool'),
          limitMib: config.uploads.limitMib,
          leastFreeMib: config.uploads.leastFreeMib,
        }),
        PresenceClientModule.connect(config.presence),
        PollingModule.with({ imports: [rateLimits] }),
        PresenceReadingModule.with(presenceTimingOf(config.presence.timing), externalUrl),
        PushServiceModule.with(keySecret, relay && { ...relay, externalUrl }),
        push,
        rateLimits,
        ...remotesOf(config, rateLimits),
        ...modulesWithoutOptions,
        OpsModule.with({
          token: config.ops.token,
          externalUrl,
          imports: [rateLimits, push, PushOperatorModule.with({ imports: [push] }), UsersModule],
        }),
        RealmStateModule.with({
          largestFileMib: config.uploads.limitMib,
          presenceTiming: config.presence.timing,
        }),
        TestNotificationsModule.with({ imports: [rateLimits], relay }),
        UploadsModule.with({ ...config.uploads, secret: config.auth.apiKeySecret }),
        VideoCallsModule.with(config.videoCalls),
      ],
      controllers: [...controllersOf(config), CompletionController, HealthController],
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

const rulesOf = ({ rateLimits, auth, pushService }: ApiGatewayConfig): RateLimitRules => ({
  user: rateLimits.perUser,
  address: rateLimits.perAddress,
  file: rateLimits.ofFiles,
  'sign-in': auth.signInRules,
  'test-notification': rateLimits.testNotifications,
  'event-queue': rateLimits.eventQueues,
  server: pushService?.rateLimits.requests ?? [],
  'server-push': pushService?.rateLimits.pushes ?? [],
  'server-upload': pushService?.rateLimits.uploads ?? [],
  'refused-upload': pushService?.rateLimits.requests ?? [],
  'new-server': pushService?.rateLimits.newServers ?? [],
  'address-transfer': [{ seconds: 86_400, calls: TRANSFERS_OF_ADDRESS_A_DAY }],
  'server-transfer': [{ seconds: 86_400, calls: TRANSFERS_A_DAY }],
});

/** The push service for the servers of other installations, if there is one. */
const remotesOf = ({ pushService, push, limits }: ApiGatewayConfig, rateLimits: DynamicModule) =>
  pushService === null
    ? []
    : [
        TenantsModule.with({
          ...pushService,
          timeToLiveMs: push.timeToLiveMs,
          devices: limits.devices,
          imports: [rateLimits],
        }),
      ];
