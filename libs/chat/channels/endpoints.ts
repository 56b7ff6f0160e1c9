import type { Endpoints } from '#platform/http';
import { ChannelChangingController } from './changing/channel-changing.controller.js';
import { ChannelsModule } from './channels.module.js';
import { ChannelFoldersController } from './folders/channel-folders.controller.js';
import { ChannelsController } from './listing/channels.controller.js';
import { ChannelReadingController } from './reading/channel-reading.controller.js';
import { RealmSettingsController } from './realm-settings/realm-settings.controller.js';
import { SubscriptionsController } from './subscribing/subscriptions.controller.js';

export { messageTopic, topicName } from './topics/topic-name.schema.js';

export const channelsEndpoints: Endpoints = {
  imports: [ChannelsModule],
  controllers: [
    ChannelChangingController,
    ChannelFoldersController,
    ChannelReadingController,
    ChannelsController,
    RealmSettingsController,
    SubscriptionsController,
  ],
};
