export { AccessChannel, type AccessedChannel, type WantedAccess } from './access-channel.js';
export { AddDefaultChannel } from './add-default-channel.js';
export {
  type ChannelViewer,
  type GuardedChannel,
  hasContentAccess,
} from './channel-access.rules.js';
export type { CandidateChannel } from './channel-list.repository.js';
export { type ChannelPermission, type ChannelPermissions } from './channel-permissions.js';
export { isForAnnouncements } from './channel-policy.rules.js';
export { type ChannelSources, isDefaultChannel } from './channel-selection.rules.js';
export type { StoredChannel } from './channel.repository.js';
export { ChannelsModule } from './channels.module.js';
export { subscribeToDefaultChannels } from './default-channel.repository.js';
export type { ChannelSettings, DescribedChannel } from './describe-channels.js';
export { type ChannelQuery, ListChannels } from './list-channels.js';
export {
  type DescribedSubscription,
  ListSubscriptions,
  type WantedSubscribers,
} from './list-subscriptions.js';
export { RemoveDefaultChannel } from './remove-default-channel.js';
