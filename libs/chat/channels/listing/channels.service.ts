import { Injectable } from '@nestjs/common';
import { GroupMembershipRepository, SystemGroupRepository } from '#directory/groups';
import { isAdministrator } from '#directory/roles';
import { ApiError, type Caller } from '#platform/contracts';
import { filterInSlices, mapInSlices } from '#platform/core';
import { ChannelDescriber, type ChannelDescription } from './channel-describer.js';
import { type CandidateChannel, ChannelListRepository } from './channel-list.repository.js';
import { type ChannelSources, isSelected } from '../access/channel-access.rules.js';
import { resolveChannelPermissions } from '../channel-permission-table.rules.js';
import {
  type ChannelSubscription,
  type Subscribers,
  SubscriptionRepository,
} from '../subscriptions/subscription.repository.js';
import { channelErrors } from '../channels.errors.js';
import {
  noSubscribers,
  SubscriberLists,
  type SubscriberSelection,
} from '../subscriptions/subscriber-lists.js';

/** The selection of channels for a list. */
export interface ChannelQuery {
  readonly sources: ChannelSources;
  readonly excludeArchived: boolean;
  /** Whether the query is one that only administrators may make. */
  readonly needsAdministrator: boolean;
}

/** A channel that the caller is subscribed to. */
export interface SubscriptionDescription extends ChannelDescription<ChannelSubscription> {
  /** Null when they were not requested. */
  readonly subscribers: Subscribers | null;
}

/** The channels of an organisation, and the caller's subscriptions. */
@Injectable()
export class ChannelsService {
  constructor(
    private readonly lists: ChannelListRepository,
    private readonly membership: GroupMembershipRepository,
    private readonly systemGroups: SystemGroupRepository,
    private readonly describer: ChannelDescriber,
    private readonly subscriptions: SubscriptionRepository,
    private readonly subscribers: SubscriberLists,
  ) {}

  /**
   * The channels from all requested sources by name: a bounded number of statements. Throws `notAuthorizedForQuery`
   * for a query that only administrators may make.
   */
  async list(caller: Caller, query: ChannelQuery): Promise<ChannelDescription<CandidateChannel>[]> {
    if (query.needsAdministrator && !isAdministrator(caller.role)) {
      throw new ApiError(channelErrors.notAuthorizedForQuery);
    }
    const { sources, excludeArchived } = query;
    if (!Object.values(sources).includes(true)) return [];
    const [candidates, groups, systemGroups] = await Promise.all([
      this.lists.candidatesFor(caller.realm.id, caller.userId, excludeArchived),
      this.membership.groupsOf(caller.userId),
      this.systemGroups.idsOf(caller.realm.id),
    ]);
    const viewer = { role: caller.role, groups };
    const selected = await filterInSlices(candidates, (channel) => {
      const permissions = resolveChannelPermissions(channel, systemGroups);
      return isSelected({ ...channel, ...permissions }, sources, viewer);
    });
    return this.describer.describe(caller.realm.id, selected);
  }

  /** The caller's subscriptions by channel name, including archived channels: a bounded number of statements. */
  async listSubscriptions(
    caller: Caller,
    selection: SubscriberSelection,
  ): Promise<SubscriptionDescription[]> {
    const channels = await this.subscriptions.activeOf(caller.userId);
    const [described, subscribers] = await Promise.all([
      this.describer.describe(caller.realm.id, channels),
      this.subscribers.of(
        channels.map(({ id }) => id),
        caller.userId,
        selection,
      ),
    ]);
    return mapInSlices(described, (subscription) => ({
      ...subscription,
      subscribers: subscribers && (subscribers.get(subscription.channel.id) ?? noSubscribers),
    }));
  }
}
