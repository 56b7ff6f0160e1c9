import { Injectable, Optional } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import {
  GroupSettingRepository,
  type GroupSettingValue,
  type GroupSettingValues,
  SystemGroupRepository,
} from '#directory/groups';
import { type Clock, systemClock } from '#platform/core';
import type { Session } from '#platform/database';
import { renderMarkdown } from '#platform/markdown';
import { ChannelListRepository } from './channel-list.repository.js';
import {
  type ChannelPermission,
  type ChannelPermissions,
  resolveChannelPermissions,
} from './channel-access.rules.js';
import {
  firstTrafficDay,
  isHistoryPublic,
  isRecentlyActive,
  postPolicyOf,
  weeklyTraffic,
} from './channel-fields.rules.js';
import type { StoredChannel } from './channel.repository.js';

/** The holders of each permission of a channel, as the API shows them. */
type ChannelSettings = Readonly<Record<ChannelPermission, GroupSettingValue>>;

/** A channel with all the data for accounts that may see it. */
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

/** In characters of sources and results together; enough for several thousand channels. */
const MAX_CACHED_CHARACTERS = 16_000_000;

/** Adds the settings, the activity and the rendered description to channels. */
@Injectable()
export class ChannelDescriber {
  /** HTML by Markdown: a list may have thousands of descriptions, which seldom change. */
  readonly #rendered = new LRUCache<string, string>({
    maxSize: MAX_CACHED_CHARACTERS,
    // The size must be positive, also for an empty description.
    sizeCalculation: (html, source) => html.length + source.length + 1,
    memoMethod: (source) => renderMarkdown(source).html,
  });

  constructor(
    private readonly systemGroups: SystemGroupRepository,
    private readonly groupSettings: GroupSettingRepository,
    private readonly lists: ChannelListRepository,
    @Optional() private readonly clock: Clock = systemClock,
  ) {}

  /**
   * Adds to the rows of channels of one organisation the settings, activity and rendered descriptions, in the given
   * order: two statements for all channels.
   */
  async describe<Channel extends StoredChannel>(
    realmId: number,
    channels: readonly Channel[],
    session?: Session,
  ): Promise<DescribedChannel<Channel>[]> {
    if (channels.length === 0) return [];
    const now = this.clock();
    const systemGroups = await this.systemGroups.idsOf(realmId, session);
    const resolved = channels.map((channel) => ({
      channel,
      permissions: resolveChannelPermissions(channel, systemGroups),
    }));
    const ids = channels.map(({ id }) => id);
    // One after the other: a session is one connection.
    const settings = await this.groupSettings.valuesOf(
      resolved.flatMap(({ permissions }) => Object.values(permissions)),
      session,
    );
    const activities = await this.lists.activityOf(ids, firstTrafficDay(now), session);
    return resolved.map(({ channel, permissions }) => {
      const activity = activities.get(channel.id);
      return {
        channel,
        renderedDescription: this.#rendered.memo(channel.description),
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
  const entries = Object.entries(permissions).map(([permission, id]) => [
    permission,
    values.get(id) ?? id,
  ]);
  // fromEntries loses the type of the keys.
  return Object.fromEntries(entries) as ChannelSettings;
};
