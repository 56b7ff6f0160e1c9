import { Module } from '@nestjs/common';
import { UserGroupsModule } from '#directory/groups';
import { ChannelAccess } from './channel-access.js';
import { ChannelAudienceRepository } from './channel-audience.repository.js';
import { ChannelDescriber } from './channel-describer.js';
import { ChannelListRepository } from './channel-list.repository.js';
import { ChannelRepository } from './channel.repository.js';
import { SubscriberRepository } from './subscribing/subscriber.repository.js';
import { SubscriptionSettingsRepository } from './subscribing/subscription-settings.repository.js';
import { SubscriptionRepository } from './subscription.repository.js';

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
