import { Module } from '@nestjs/common';
import { UserGroupsModule } from '#directory/groups';
import { ProfileFieldsModule } from '#directory/profile-fields';
import { SettingsModule } from '#directory/settings';
import { UsersModule } from '#directory/users';
import { EventLogModule } from '#events/log';
import { QueuesModule } from '#events/queues';
import { ChannelActivityEvents } from './listing/channel-activity.events.js';
import { ChannelRowsModule } from './channel-rows.module.js';
import { ChannelState } from './listing/channel-state.js';
import { ChannelEvents } from './channels.events.js';
import { ChannelsService } from './listing/channels.service.js';
import { DefaultChannelRepository } from './defaults/default-channel.repository.js';
import { DefaultChannelsService } from './defaults/default-channels.service.js';
import { DefaultSubscriptionsModule } from './default-subscriptions.module.js';
import { SubscriberLists } from './subscriptions/subscriber-lists.js';
import { ChannelChangeEvents } from './changing/channel-change.events.js';
import { ChannelChangeRepository } from './changing/channel-change.repository.js';
import { ChannelChangingService } from './changing/channel-changing.service.js';
import { ChannelEditStore } from './changing/channel-edit-store.js';
import { ChannelUnarchivingEvents } from './changing/channel-unarchiving.events.js';
import { ChannelFolderRepository } from './folders/channel-folder.repository.js';
import { ChannelFolderEvents } from './folders/channel-folders.events.js';
import { ChannelFoldersService } from './folders/channel-folders.service.js';
import { ChannelReadingService } from './reading/channel-reading.service.js';
import { UserChannelsService } from './reading/user-channels.service.js';
import { TopicRepository } from './topics/topic.repository.js';
import { RealmSettingsModule } from './realm-settings/realm-settings.module.js';
import { ChannelCreator } from './subscribing/channel-creator.js';
import { GuestVisibility } from './subscribing/guest-visibility.js';
import { GuestVisibilityRepository } from './subscribing/guest-visibility.repository.js';
import { NamedAccountsFinder } from './subscribing/named-accounts-finder.js';
import { NamedChannelRepository } from './subscribing/named-channel.repository.js';
import { NewChannelRepository } from './subscribing/new-channel.repository.js';
import { RealmPermissionRepository } from './subscribing/realm-permission.repository.js';
import { SubscribableChannels } from './subscribing/subscribable-channels.js';
import { SubscribingService } from './subscribing/subscribing.service.js';
import { SubscriptionChangeEvents } from './subscribing/subscription-change.events.js';
import { SubscriptionSettingsService } from './subscribing/subscription-settings.service.js';
import { SubscriptionStore } from './subscribing/subscription-store.js';
import { UnsubscribingService } from './subscribing/unsubscribing.service.js';

const folders = [ChannelFolderEvents, ChannelFolderRepository, ChannelFoldersService];

const reading = [ChannelReadingService, TopicRepository, UserChannelsService];

const changing = [
  ChannelChangeEvents,
  ChannelChangeRepository,
  ChannelChangingService,
  ChannelEditStore,
  ChannelUnarchivingEvents,
];

const subscribing = [
  ChannelCreator,
  GuestVisibility,
  GuestVisibilityRepository,
  NamedAccountsFinder,
  NamedChannelRepository,
  NewChannelRepository,
  RealmPermissionRepository,
  SubscribableChannels,
  SubscribingService,
  SubscriptionChangeEvents,
  SubscriptionSettingsService,
  SubscriptionStore,
  UnsubscribingService,
];

/** Channels, the access to them, and their subscriptions. */
@Module({
  imports: [
    ChannelRowsModule,
    DefaultSubscriptionsModule,
    EventLogModule,
    ProfileFieldsModule,
    QueuesModule,
    RealmSettingsModule,
    SettingsModule,
    UserGroupsModule,
    UsersModule,
  ],
  providers: [
    ChannelActivityEvents,
    ChannelEvents,
    ChannelState,
    DefaultChannelsService,
    DefaultChannelRepository,
    ChannelsService,
    SubscriberLists,
    ...changing,
    ...folders,
    ...reading,
    ...subscribing,
  ],
  exports: [
    ChannelActivityEvents,
    DefaultChannelsService,
    ChannelChangingService,
    ChannelFoldersService,
    ChannelReadingService,
    UserChannelsService,
    ChannelRowsModule,
    ChannelsService,
    RealmSettingsModule,
    SubscribingService,
    SubscriptionSettingsService,
    UnsubscribingService,
  ],
})
export class ChannelsModule {}
