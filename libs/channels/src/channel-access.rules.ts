import { isAdministrator, roles } from '#contracts';
import type { ChannelPermissions } from './channel-permissions.js';

/** What of a channel decides who may see it. */
export interface GuardedChannel extends Pick<
  ChannelPermissions,
  'canAddSubscribersId' | 'canAdministerChannelId' | 'canSubscribeId'
> {
  readonly isPrivate: boolean;
  readonly isWebPublic: boolean;
}

/** What of an account decides which channels it may see. */
export interface ChannelViewer {
  readonly role: number;
  readonly isSubscribed: boolean;
  /** Every group that the account is in. */
  readonly groups: ReadonlySet<number>;
}

/** Whether an account may read what is said in a channel. */
export function hasContentAccess(channel: GuardedChannel, viewer: ChannelViewer): boolean {
  if (channel.isWebPublic || viewer.isSubscribed) return true;
  if (viewer.role >= roles.guest) return false;
  return (
    !channel.isPrivate ||
    viewer.groups.has(channel.canAddSubscribersId) ||
    viewer.groups.has(channel.canSubscribeId)
  );
}

/** Whether an account may know that a channel exists, and read its name, description and settings. */
export const hasMetadataAccess = (channel: GuardedChannel, viewer: ChannelViewer): boolean =>
  hasContentAccess(channel, viewer) ||
  isAdministrator(viewer.role) ||
  (viewer.role < roles.guest && viewer.groups.has(channel.canAdministerChannelId));
