export {
  type ChannelViewer,
  type GuardedChannel,
  hasContentAccess,
} from './access/channel-access.rules.js';
export { type AccessedChannel, ChannelAccess } from './access/channel-access.js';
export {
  ChannelActivityEvents,
  type ChannelWithFirstMessage,
} from './listing/channel-activity.events.js';
export { CHANNEL_NOTICES, type ChannelNotices, type ChannelOfNotice } from './channel-notices.js';
export { channelErrors } from './channels.errors.js';
export { ChannelsModule } from './channels.module.js';
export { RealmChannelRepository } from './realm-settings/realm-channel.repository.js';
export { RealmSettingsModule } from './realm-settings/realm-settings.module.js';
export { type RealmChange, realmSettings } from './realm-settings/realm-settings.rules.js';
export { RealmSettingsService } from './realm-settings/realm-settings.service.js';
export { channelFolderErrors } from './folders/channel-folders.errors.js';
export { DefaultSubscriptionsModule } from './default-subscriptions.module.js';
export {
  type ChannelAccounts,
  SUBSCRIPTION_HOOK,
  type SubscriptionHook,
} from './subscriptions/subscription-hook.js';
export { namedTopic, shortenedTopic, shownTopic, storedTopic } from './topics/topic-name.rules.js';
export type { TopicsPolicy } from './topics/topics-policy.rules.js';
export { MAX_CHANNEL_BYTES } from './channel-texts.js';
export { MAX_TOPICS as MAX_LISTED_TOPICS } from './topics/topic.repository.js';
