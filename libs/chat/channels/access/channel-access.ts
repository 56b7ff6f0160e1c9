import { Injectable } from '@nestjs/common';
import {
  GroupMembershipRepository,
  type SystemGroupIds,
  SystemGroupRepository,
} from '#directory/groups';
import { ApiError, type Caller } from '#platform/contracts';
import type { Session } from '#platform/database';
import { type ChannelViewer, hasContentAccess, hasMetadataAccess } from './channel-access.rules.js';
import {
  type ChannelPermissions,
  resolveChannelPermissions,
} from '../channel-permission-table.rules.js';
import {
  type ChannelForUser,
  ChannelRepository,
  type StoredChannel,
} from '../channel.repository.js';
import { channelErrors } from '../channels.errors.js';
import type { TopicsPolicy } from '../topics/topics-policy.rules.js';

/** The access that a request needs: to read messages, or only to see the channel itself. */
type ChannelAccessLevel = 'content' | 'metadata';

/** A channel that the caller may see, with the data that decides on further permissions. */
export interface AccessedChannel {
  readonly channel: StoredChannel;
  readonly permissions: ChannelPermissions;
  readonly viewer: ChannelViewer;
  /** Of the channel, or of the organisation if the channel inherits it. */
  readonly topicsPolicy: TopicsPolicy;
}

/** Finds channels that the caller may see. */
@Injectable()
export class ChannelAccess {
  constructor(
    private readonly channels: ChannelRepository,
    private readonly membership: GroupMembershipRepository,
    private readonly systemGroups: SystemGroupRepository,
  ) {}

  /**
   * A channel, archived or not. Throws `invalidChannelId` for an unknown channel, for one of another organisation,
   * and for one that the caller cannot see.
   */
  async require(
    caller: Caller,
    channelId: number,
    level: ChannelAccessLevel,
  ): Promise<AccessedChannel> {
    const accessed = await this.find(caller, channelId, level);
    if (accessed === null) throw new ApiError(channelErrors.invalidChannelId);
    return accessed;
  }

  /** The same for a channel by its name. Throws `invalidChannelName` instead. */
  async requireNamed(
    caller: Caller,
    name: string,
    level: ChannelAccessLevel,
  ): Promise<AccessedChannel> {
    const accessed = await this.findNamed(caller, name, level);
    if (accessed === null) throw new ApiError(channelErrors.invalidChannelName, { name });
    return accessed;
  }

  /** Finds the channel by its name, preferring the exact spelling; null for none that the caller may access. */
  async findNamed(
    caller: Caller,
    name: string,
    level: ChannelAccessLevel,
  ): Promise<AccessedChannel | null> {
    const id = await this.channels.idNamed(caller.realm.id, name);
    return id === null ? null : this.find(caller, id, level);
  }

  /** Finds the channel like `require`; null instead of an error. */
  async find(
    caller: Caller,
    channelId: number,
    level: ChannelAccessLevel,
  ): Promise<AccessedChannel | null> {
    const [found, groups, systemGroups] = await Promise.all([
      this.channels.findForUser(caller.realm.id, channelId, caller.userId),
      this.membership.groupsOf(caller.userId),
      this.systemGroups.idsOf(caller.realm.id),
    ]);
    return found === null ? null : accessedBy(found, { groups, systemGroups, level });
  }

  /** The same with one statement after the other, mostly in a transaction that has locked the channel. */
  async findWithin(
    session: Session,
    caller: Caller,
    channelId: number,
    level: ChannelAccessLevel,
  ): Promise<AccessedChannel | null> {
    const { userId, realm } = caller;
    const found = await this.channels.findForUser(realm.id, channelId, userId, session);
    if (found === null) return null;
    const groups = await this.membership.groupsOf(userId, session);
    const systemGroups = await this.systemGroups.idsOf(realm.id, session);
    return accessedBy(found, { groups, systemGroups, level });
  }
}

/** Null for a channel that the caller may not access. */
function accessedBy(
  { channel, isSubscribed, role, topicsPolicy }: ChannelForUser,
  {
    groups,
    systemGroups,
    level,
  }: {
    readonly groups: ReadonlySet<number>;
    readonly systemGroups: SystemGroupIds;
    readonly level: ChannelAccessLevel;
  },
): AccessedChannel | null {
  const permissions = resolveChannelPermissions(channel, systemGroups);
  const viewer = { role, isSubscribed, groups };
  const isAllowed = level === 'content' ? hasContentAccess : hasMetadataAccess;
  if (!isAllowed({ ...channel, ...permissions }, viewer)) return null;
  return { channel, permissions, viewer, topicsPolicy };
}
