import { isAdministrator, isGuest } from '#directory/roles';
import {
  type ChannelViewer,
  type GuardedChannel,
  hasContentAccess,
  hasMetadataAccess,
} from '../access/channel-access.rules.js';
import { type ChannelPermissions } from '../channel-permission-table.rules.js';

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

/** Whether an account may change the settings of a channel. Guests may not, also as members of a group that may. */
export const mayAdminister = (
  permissions: Pick<ChannelPermissions, 'canAdministerChannelId'>,
  { role, groups }: ChannelViewer,
): boolean =>
  isAdministrator(role) || (!isGuest(role) && groups.has(permissions.canAdministerChannelId));

/** Whether an account may end the subscriptions of others. Guests may not, also as members of a group that may. */
export const mayUnsubscribeOthers = (
  channel: GuardedChannel & Pick<ChannelPermissions, 'canRemoveSubscribersId'>,
  viewer: ChannelViewer,
): boolean =>
  mayAdminister(channel, viewer) ||
  (!isGuest(viewer.role) &&
    hasMetadataAccess(channel, viewer) &&
    viewer.groups.has(channel.canRemoveSubscribersId));
