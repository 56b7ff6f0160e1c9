export { messageTopic, topicName } from './topics/topic-name.schema.js';
export { ChannelsController } from './listing/channels.controller.js';
export { ChannelChangingController } from './changing/channel-changing.controller.js';
export { ChannelFoldersController } from './folders/channel-folders.controller.js';
export { ChannelReadingController } from './reading/channel-reading.controller.js';
export { RealmSettingsController } from './realm-settings/realm-settings.controller.js';
export { SubscriptionsController } from './subscribing/subscriptions.controller.js';
