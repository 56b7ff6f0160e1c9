import { isAdministrator } from '#platform/contracts';
import {
  type ChannelPermissions,
  type ChannelViewer,
  type GuardedChannel,
  hasContentAccess,
  hasMetadataAccess,
} from '../channel-access.rules.js';

type Guarded = GuardedChannel & { readonly archivedAt: Date | null };

/** Whether a member may subscribe to a channel. */
export const maySubscribe = (channel: Guarded, viewer: ChannelViewer): boolean =>
  channel.archivedAt === null && hasContentAccess(channel, viewer);

/** Whether a member may subscribe others to a channel that they may subscribe to. */
export const maySubscribeOthers = (
  permissions: ChannelPermissions,
  { role, groups }: ChannelViewer,
  mayEverywhere: boolean,
): boolean =>
  mayEverywhere ||
  isAdministrator(role) ||
  groups.has(permissions.canAdministerChannelId) ||
  groups.has(permissions.canAddSubscribersId);

/** Whether an account may change the settings of a channel. */
export const mayAdminister = (
  permissions: Pick<ChannelPermissions, 'canAdministerChannelId'>,
  { role, groups }: ChannelViewer,
): boolean => isAdministrator(role) || groups.has(permissions.canAdministerChannelId);

/** Whether an account may end the subscriptions of others. */
export const mayUnsubscribeOthers = (
  channel: GuardedChannel & Pick<ChannelPermissions, 'canRemoveSubscribersId'>,
  viewer: ChannelViewer,
): boolean =>
  isAdministrator(viewer.role) ||
  (hasMetadataAccess(channel, viewer) &&
    (viewer.groups.has(channel.canRemoveSubscribersId) ||
      viewer.groups.has(channel.canAdministerChannelId)));
