import { Module } from '@nestjs/common';
import { UserGroupsModule } from '#directory/groups';
import { ChannelAudienceRepository } from './channel-audience.repository.js';
import { ChannelDescriber } from './channel-describer.js';
import { ChannelListRepository } from './channel-list.repository.js';
import { SubscriberRepository } from './subscribing/subscriber.repository.js';
import { SubscriptionSettingsRepository } from './subscribing/subscription-settings.repository.js';
import { SubscriptionRepository } from './subscription.repository.js';

const rows = [
  ChannelAudienceRepository,
  ChannelDescriber,
  ChannelListRepository,
  SubscriberRepository,
  SubscriptionRepository,
  SubscriptionSettingsRepository,
];

/** The reading of channels and subscriptions that endpoints and hooks share, with its caches; needs DatabaseModule. */
@Module({ imports: [UserGroupsModule], providers: rows, exports: rows })
export class ChannelRowsModule {}
