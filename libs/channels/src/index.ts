export { AccessChannel, type AccessedChannel, type WantedAccess } from './access-channel.js';
export {
  type ChannelViewer,
  type GuardedChannel,
  hasContentAccess,
  hasMetadataAccess,
} from './channel-access.rules.js';
export {
  type ChannelPermission,
  type ChannelPermissions,
  resolveChannelPermissions,
} from './channel-permissions.js';
export type { StoredChannel } from './channel.repository.js';
export { ChannelsModule } from './channels.module.js';
