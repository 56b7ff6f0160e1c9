import { Injectable } from '@nestjs/common';
import { ApiError, type Caller } from '#contracts';
import { GroupMembershipRepository, SystemGroupRepository } from '#user-groups';
import { type ChannelViewer, hasContentAccess, hasMetadataAccess } from './channel-access.rules.js';
import { type ChannelPermissions, resolveChannelPermissions } from './channel-permissions.js';
import { ChannelRepository, type StoredChannel } from './channel.repository.js';

/** What a request wants of a channel: to read what is said there, or only to know of it. */
export type WantedAccess = 'content' | 'metadata';

/** A channel that the caller may see, and what decides what else they may do there. */
export interface AccessedChannel {
  readonly channel: StoredChannel;
  readonly permissions: ChannelPermissions;
  readonly viewer: ChannelViewer;
}

/** Finds the channel that a request is about, as far as the caller may see it. */
@Injectable()
export class AccessChannel {
  constructor(
    private readonly channels: ChannelRepository,
    private readonly membership: GroupMembershipRepository,
    private readonly systemGroups: SystemGroupRepository,
  ) {}

  /**
   * The channel, archived ones included. Throws `invalidChannelId` for one that there is none of, that is
   * another organisation's, or that the caller may not see.
   */
  async execute(caller: Caller, channelId: number, wanted: WantedAccess): Promise<AccessedChannel> {
    const accessed = await this.find(caller, channelId, wanted);
    if (accessed === null) throw new ApiError('invalidChannelId');
    return accessed;
  }

  /** The same where a channel that the caller may not see is an error of its own, or none: null. */
  async find(
    caller: Caller,
    channelId: number,
    wanted: WantedAccess,
  ): Promise<AccessedChannel | null> {
    const [found, groups, systemGroups] = await Promise.all([
      this.channels.findForUser(caller.realm.id, channelId, caller.userId),
      this.membership.groupsOf(caller.userId),
      this.systemGroups.idsOf(caller.realm.id),
    ]);
    if (found === null) return null;
    const permissions = resolveChannelPermissions(found.channel, systemGroups);
    const viewer = { role: caller.role, isSubscribed: found.isSubscribed, groups };
    const guarded = { ...found.channel, ...permissions };
    const isAllowed = wanted === 'content' ? hasContentAccess : hasMetadataAccess;
    return isAllowed(guarded, viewer) ? { channel: found.channel, permissions, viewer } : null;
  }
}
