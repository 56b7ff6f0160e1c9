import { isAdministrator, isGuest } from '#directory/roles';
import type { ChannelPermissions } from '../channel-permission-table.rules.js';

/** The properties of a channel that decide who may see it. */
export interface GuardedChannel extends Pick<
  ChannelPermissions,
  'canAddSubscribersId' | 'canAdministerChannelId' | 'canSubscribeId'
> {
  readonly isPrivate: boolean;
  readonly isWebPublic: boolean;
}

/** The properties of an account that decide which channels it may see. */
export interface ChannelViewer {
  readonly role: number;
  readonly isSubscribed: boolean;
  /** All groups of the account, direct and through subgroups. */
  readonly groups: ReadonlySet<number>;
}

/** Whether an account may read the messages of a channel. */
export function hasContentAccess(channel: GuardedChannel, viewer: ChannelViewer): boolean {
  if (channel.isWebPublic || viewer.isSubscribed) return true;
  if (isGuest(viewer.role)) return false;
  return (
    !channel.isPrivate ||
    viewer.groups.has(channel.canAddSubscribersId) ||
    viewer.groups.has(channel.canSubscribeId)
  );
}

/** Whether an account may see that a channel exists, its name, description and settings. */
export const hasMetadataAccess = (channel: GuardedChannel, viewer: ChannelViewer): boolean =>
  hasContentAccess(channel, viewer) ||
  isAdministrator(viewer.role) ||
  (!isGuest(viewer.role) && viewer.groups.has(channel.canAdministerChannelId));

/** The properties of a channel that decide whether a list has it. */
export interface ListableChannel extends GuardedChannel {
  readonly isDefault: boolean;
  readonly archivedAt: Date | null;
  readonly isSubscribed: boolean;
  /** Whether the caller is a bot whose owner is subscribed. */
  readonly isOwnerSubscribed: boolean;
}

/** The sources of a list: it has the channels of any source that is true. */
export type ChannelSources = Readonly<
  Record<
    | 'public'
    | 'webPublic'
    | 'subscribed'
    | 'ownerSubscribed'
    | 'default'
    | 'contentAccess'
    | 'metadataAccess',
    boolean
  >
>;

/** Whether a list from these sources has a channel, for a viewer. */
export function isSelected(
  channel: ListableChannel,
  sources: ChannelSources,
  viewer: Omit<ChannelViewer, 'isSubscribed'>,
): boolean {
  const channelViewer = { ...viewer, isSubscribed: channel.isSubscribed };
  return (
    // The source is ignored for guests: they see only the public channels that they are subscribed to.
    (sources.public && !isGuest(viewer.role) && !channel.isPrivate) ||
    (sources.webPublic && channel.isWebPublic) ||
    (sources.subscribed && channel.isSubscribed) ||
    (sources.ownerSubscribed && channel.isOwnerSubscribed) ||
    (sources.default && isDefaultChannel(channel) && hasMetadataAccess(channel, channelViewer)) ||
    (sources.contentAccess && hasContentAccess(channel, channelViewer)) ||
    (sources.metadataAccess && hasMetadataAccess(channel, channelViewer))
  );
}

/** Whether new accounts are subscribed to a channel; an archived one does not count. */
export const isDefaultChannel = ({
  isDefault,
  archivedAt,
}: Pick<ListableChannel, 'isDefault' | 'archivedAt'>): boolean => isDefault && archivedAt === null;
