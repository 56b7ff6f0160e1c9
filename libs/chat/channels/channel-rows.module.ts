import { Module } from '@nestjs/common';
import { UserGroupsModule } from '#directory/groups';
import { ChannelAccess } from './access/channel-access.js';
import { ChannelAudienceRepository } from './access/channel-audience.repository.js';
import { ChannelDescriber } from './listing/channel-describer.js';
import { ChannelListRepository } from './listing/channel-list.repository.js';
import { ChannelRepository } from './channel.repository.js';
import { SubscriberRepository } from './subscriptions/subscriber.repository.js';
import { SubscriptionSettingsRepository } from './subscriptions/subscription-settings.repository.js';
import { SubscriptionRepository } from './subscriptions/subscription.repository.js';

const rows = [
  ChannelAccess,
  ChannelAudienceRepository,
  ChannelDescriber,
  ChannelListRepository,
  ChannelRepository,
  SubscriberRepository,
  SubscriptionRepository,
  SubscriptionSettingsRepository,
];

/** The reading of channels and subscriptions that endpoints and hooks share, with its caches; needs DatabaseModule. */
@Module({ imports: [UserGroupsModule], providers: rows, exports: rows })
export class ChannelRowsModule {}
