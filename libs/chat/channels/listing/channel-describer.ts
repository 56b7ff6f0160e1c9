import { Injectable, Optional } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import {
  GroupSettingRepository,
  type GroupSettingValue,
  type GroupSettingValues,
  SystemGroupRepository,
} from '#directory/groups';
import type { StateRequest } from '#events/declarations';
import { type Clock, mapInSlices, systemClock } from '#platform/core';
import type { Session } from '#platform/database';
import { renderListed } from '#platform/markdown';
import { ChannelListRepository } from './channel-list.repository.js';
import {
  type ChannelPermission,
  type ChannelPermissions,
  resolveChannelPermissions,
} from '../channel-permission-table.rules.js';
import {
  firstTrafficDay,
  isHistoryPublic,
  isRecentlyActive,
  postPolicyOf,
  weeklyTraffic,
} from './channel-fields.rules.js';
import type { StoredChannel } from '../channel.repository.js';

/** The holders of each permission of a channel, as the API shows them. */
type ChannelSettings = Readonly<Record<ChannelPermission, GroupSettingValue>>;

/** A channel with all the data for accounts that may see it. */
export interface ChannelDescription<Channel extends StoredChannel = StoredChannel> {
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

/** Adds the settings, the traffic, the number of subscribers and the rendered description to channels. */
@Injectable()
export class ChannelDescriber {
  /** HTML by Markdown: a list may have thousands of descriptions, which seldom change. */
  readonly #rendered = new LRUCache<string, string>({
    maxSize: MAX_CACHED_CHARACTERS,
    // The size must be positive, also for an empty description.
    sizeCalculation: (html, source) => html.length + source.length + 1,
    memoMethod: renderListed,
  });

  constructor(
    private readonly systemGroups: SystemGroupRepository,
    private readonly groupSettings: GroupSettingRepository,
    private readonly lists: ChannelListRepository,
    @Optional() private readonly clock: Clock = systemClock,
  ) {}

  /**
   * Describes channels of one organisation in the given order, with a bounded number of statements. The numbers of subscribers
   * are counted; with `readShared` only after an event that changes one of them.
   */
  async describe<Channel extends StoredChannel>(
    realmId: number,
    channels: readonly Channel[],
    session?: Session,
    readShared?: StateRequest['readShared'],
  ): Promise<ChannelDescription<Channel>[]> {
    if (channels.length === 0) return [];
    const now = this.clock();
    const systemGroups = await this.systemGroups.idsOf(realmId, session);
    const holderIds = new Set<number>();
    const resolved = await mapInSlices(channels, (channel) => {
      const permissions = resolveChannelPermissions(channel, systemGroups);
      for (const id of Object.values(permissions)) holderIds.add(id);
      return { channel, permissions };
    });
    const ids = channels.map(({ id }) => id);
    // One after the other: a session is one connection.
    const settings = await this.groupSettings.valuesOf(holderIds, session);
    const traffic = await this.lists.trafficOf(ids, firstTrafficDay(now), session);
    const counts = readShared
      ? await this.#sharedCounts(realmId, session, readShared)
      : await this.lists.subscriberCounts(ids, session);
    return mapInSlices(resolved, ({ channel, permissions }) => {
      const ofChannel = traffic.get(channel.id);
      return {
        channel,
        renderedDescription: this.#rendered.memo(channel.description),
        settings: settingsOf(permissions, settings),
        postPolicy: postPolicyOf(permissions.canSendMessageId, systemGroups),
        isHistoryPublic: isHistoryPublic(channel),
        subscriberCount: counts.get(channel.id) ?? 0,
        weeklyTraffic: weeklyTraffic(ofChannel?.messages ?? 0, channel.createdAt, now),
        isRecentlyActive: isRecentlyActive(ofChannel?.lastMessageDay ?? null, now),
      };
    });
  }

  /** The numbers of subscribers of all channels of the organisation. */
  async #sharedCounts(
    realmId: number,
    session: Session | undefined,
    readShared: StateRequest['readShared'],
  ): Promise<ReadonlyMap<number, number>> {
    const { counts } = await readShared({
      key: 'subscriber counts',
      // Deactivated accounts do not count.
      changedBy: ['subscription', 'stream', 'realm_user'],
      isCostly: true,
      read: async () => ({
        counts: [...(await this.lists.subscriberCountsOfRealm(realmId, session))],
      }),
    });
    return new Map(counts as [channelId: number, count: number][]);
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
