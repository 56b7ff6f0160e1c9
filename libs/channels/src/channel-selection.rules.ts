import { roles } from '#contracts';
import {
  type ChannelViewer,
  type GuardedChannel,
  hasContentAccess,
  hasMetadataAccess,
} from './channel-access.rules.js';

/** What of a channel decides whether a list has it. */
export interface ListableChannel extends GuardedChannel {
  readonly isDefault: boolean;
  readonly archivedAt: Date | null;
  readonly isSubscribed: boolean;
  /** Whether the caller is a bot whose owner is subscribed. */
  readonly isOwnerSubscribed: boolean;
}

/** Which channels a list has: those of any source that is asked for. */
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

/** Whether a list of these sources has a channel, for whoever may see what `viewer` tells. */
export function isSelected(
  channel: ListableChannel,
  sources: ChannelSources,
  viewer: Omit<ChannelViewer, 'isSubscribed'>,
): boolean {
  const who = { ...viewer, isSubscribed: channel.isSubscribed };
  return (
    // Guests find public channels by being subscribed; that they asked for more is no error.
    (sources.public && viewer.role < roles.guest && !channel.isPrivate) ||
    (sources.webPublic && channel.isWebPublic) ||
    (sources.subscribed && channel.isSubscribed) ||
    (sources.ownerSubscribed && channel.isOwnerSubscribed) ||
    (sources.default && isDefaultChannel(channel) && hasMetadataAccess(channel, who)) ||
    (sources.contentAccess && hasContentAccess(channel, who)) ||
    (sources.metadataAccess && hasMetadataAccess(channel, who))
  );
}

/** Whether new accounts are subscribed to a channel: while it is archived, they are not. */
export const isDefaultChannel = ({
  isDefault,
  archivedAt,
}: Pick<ListableChannel, 'isDefault' | 'archivedAt'>): boolean => isDefault && archivedAt === null;
