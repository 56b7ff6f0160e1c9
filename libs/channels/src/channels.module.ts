import { Module } from '@nestjs/common';
import { CLOCK, systemClock } from '#core';
import { UserGroupsModule } from '#user-groups';
import { AccessChannel } from './access-channel.js';
import { AddDefaultChannel } from './add-default-channel.js';
import { ChannelListRepository } from './channel-list.repository.js';
import { ChannelRepository } from './channel.repository.js';
import { DefaultChannelRepository } from './default-channel.repository.js';
import { DescribeChannels } from './describe-channels.js';
import { ListChannels } from './list-channels.js';
import { ListSubscriptions } from './list-subscriptions.js';
import { RemoveDefaultChannel } from './remove-default-channel.js';
import { RenderedDescriptions } from './rendered-descriptions.js';
import { SubscriptionRepository } from './subscription.repository.js';

/** Channels, who may see them and who is subscribed. */
@Module({
  imports: [UserGroupsModule],
  providers: [
    { provide: CLOCK, useValue: systemClock },
    AccessChannel,
    AddDefaultChannel,
    ChannelListRepository,
    ChannelRepository,
    DefaultChannelRepository,
    DescribeChannels,
    ListChannels,
    ListSubscriptions,
    RemoveDefaultChannel,
    RenderedDescriptions,
    SubscriptionRepository,
  ],
  exports: [
    AccessChannel,
    AddDefaultChannel,
    ListChannels,
    ListSubscriptions,
    RemoveDefaultChannel,
  ],
})
export class ChannelsModule {}
