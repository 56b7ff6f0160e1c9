import { Inject, Injectable } from '@nestjs/common';
import { type Clock, CLOCK } from '#core';
import {
  GroupSettingRepository,
  type GroupSettingValue,
  type GroupSettingValues,
  SystemGroupRepository,
} from '#user-groups';
import type { StoredChannel } from './channel.repository.js';
import { ChannelListRepository } from './channel-list.repository.js';
import {
  type ChannelPermission,
  type ChannelPermissions,
  resolveChannelPermissions,
} from './channel-permissions.js';
import { isHistoryPublic, postPolicyOf } from './channel-policy.rules.js';
import { firstTrafficDay, isRecentlyActive, weeklyTraffic } from './channel-traffic.rules.js';
import { RenderedDescriptions } from './rendered-descriptions.js';

/** Who has each permission of a channel, as the API tells it. */
export type ChannelSettings = Readonly<Record<ChannelPermission, GroupSettingValue>>;

/** A channel with everything that is told of it to whoever may know that it exists. */
export interface DescribedChannel<Channel extends StoredChannel = StoredChannel> {
  readonly channel: Channel;
  /** HTML, safe to show. */
  readonly renderedDescription: string;
  readonly settings: ChannelSettings;
  /** 1 anyone, 2 administrators, 3 full members, 4 moderators. */
  readonly postPolicy: number;
  readonly isHistoryPublic: boolean;
  readonly subscriberCount: number;
  /** Messages a week, rounded; null for a channel of less than a week. */
  readonly weeklyTraffic: number | null;
  readonly isRecentlyActive: boolean;
}

/** Adds to channels what their rows do not tell. */
@Injectable()
export class DescribeChannels {
  constructor(
    private readonly systemGroups: SystemGroupRepository,
    private readonly groupSettings: GroupSettingRepository,
    private readonly lists: ChannelListRepository,
    private readonly descriptions: RenderedDescriptions,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** The channels of an organisation, in the order in which they were given: two statements, however many. */
  async execute<Channel extends StoredChannel>(
    realmId: number,
    channels: readonly Channel[],
  ): Promise<DescribedChannel<Channel>[]> {
    if (channels.length === 0) return [];
    const now = this.clock();
    const systemGroups = await this.systemGroups.idsOf(realmId);
    const resolved = channels.map((channel) => ({
      channel,
      permissions: resolveChannelPermissions(channel, systemGroups),
    }));
    const ids = channels.map(({ id }) => id);
    const [settings, activities] = await Promise.all([
      this.groupSettings.valuesOf(
        resolved.flatMap(({ permissions }) => Object.values(permissions)),
      ),
      this.lists.activityOf(ids, firstTrafficDay(now)),
    ]);
    return resolved.map(({ channel, permissions }) => {
      const activity = activities.get(channel.id);
      return {
        channel,
        renderedDescription: this.descriptions.htmlOf(channel.description),
        settings: settingsOf(permissions, settings),
        postPolicy: postPolicyOf(permissions.canSendMessageId, systemGroups),
        isHistoryPublic: isHistoryPublic(channel),
        subscriberCount: activity?.subscriberCount ?? 0,
        weeklyTraffic: weeklyTraffic(activity?.messages ?? 0, channel.createdAt, now),
        isRecentlyActive: isRecentlyActive(activity?.lastMessageDay ?? null, now),
      };
    });
  }
}

const settingsOf = (
  permissions: ChannelPermissions,
  values: GroupSettingValues,
): ChannelSettings => {
  const told = Object.entries(permissions).map(([permission, id]) => [
    permission,
    values.get(id) ?? id,
  ]);
  // Of the keys of the permissions, which fromEntries forgets.
  return Object.fromEntries(told) as ChannelSettings;
};
