import { Module } from '@nestjs/common';
import { UserGroupsModule } from '#directory/groups';
import { SettingRepository } from '#directory/settings';
import { EventLogModule } from '#events/log';
import { CLOCK, systemClock } from '#platform/core';
import { ChannelAccess } from './channel-access.js';
import { ChannelActivityEvents } from './channel-activity.events.js';
import { ChannelAudienceRepository } from './channel-audience.repository.js';
import { ChannelDescriber } from './channel-describer.js';
import { ChannelFolderRepository } from './channel-folder.repository.js';
import { ChannelState } from './channel-state.js';
import { ChannelListRepository } from './channel-list.repository.js';
import { ChannelRepository } from './channel.repository.js';
import { ChannelEvents } from './channels.events.js';
import { ChannelsService } from './channels.service.js';
import { DefaultChannelRepository } from './default-channel.repository.js';
import { DefaultChannelsService } from './default-channels.service.js';
import { DefaultSubscriptionsModule } from './default-subscriptions.module.js';
import { SubscriberLists } from './subscriber-lists.js';
import { SubscriptionRepository } from './subscription.repository.js';

/** Channels, the access to them, and their subscriptions. */
@Module({
  imports: [DefaultSubscriptionsModule, EventLogModule, UserGroupsModule],
  providers: [
    { provide: CLOCK, useValue: systemClock },
    ChannelAccess,
    ChannelActivityEvents,
    ChannelAudienceRepository,
    ChannelEvents,
    ChannelFolderRepository,
    ChannelState,
    DefaultChannelsService,
    ChannelListRepository,
    ChannelRepository,
    DefaultChannelRepository,
    ChannelDescriber,
    ChannelsService,
    SettingRepository,
    SubscriberLists,
    SubscriptionRepository,
  ],
  exports: [ChannelAccess, ChannelActivityEvents, DefaultChannelsService, ChannelsService],
})
export class ChannelsModule {}
