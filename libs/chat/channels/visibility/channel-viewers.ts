import { Injectable } from '@nestjs/common';
import {
  GroupMembershipRepository,
  type MembershipChange,
  SystemGroupRepository,
} from '#directory/groups';
import type { Transaction } from '#platform/database';
import { hasMetadataAccess } from '../access/channel-access.rules.js';
import { resolveChannelPermissions } from '../channel-permission-table.rules.js';
import type { Audiences } from './channel-visibility.rules.js';
import { ChannelVisibilityRepository } from './channel-visibility.repository.js';
import { SubscriptionRepository } from '../subscriptions/subscription.repository.js';

/** Reads the accounts that see channels, as far as a change of memberships concerns them. */
@Injectable()
export class ChannelViewers {
  constructor(
    private readonly visibility: ChannelVisibilityRepository,
    private readonly subscriptions: SubscriptionRepository,
    private readonly membership: GroupMembershipRepository,
    private readonly systemGroups: SystemGroupRepository,
  ) {}

  /** The audiences of the private channels of changed groups, or of all channels, with only the changed accounts. */
  async of(
    transaction: Transaction,
    { realmId, ...changed }: MembershipChange,
  ): Promise<Audiences> {
    if ('userId' in changed) return this.#seenBy(transaction, realmId, changed.userId);
    const { groupIds, concerned } = changed;
    const found = await this.visibility.audiencesOf(transaction, realmId, groupIds, concerned);
    return new Map(found.map(({ channelId, userIds }) => [channelId, userIds]));
  }

  /** The channels that one account may see. */
  async #seenBy(transaction: Transaction, realmId: number, userId: number): Promise<Audiences> {
    const role = await this.visibility.roleOf(transaction, userId);
    if (role === null) return new Map();
    const channels = await this.subscriptions.allOf(transaction, {
      realmId,
      userId,
      withArchived: true,
    });
    const groups = await this.membership.groupsOf(userId, transaction);
    const systemGroups = await this.systemGroups.idsOf(realmId, transaction);
    const visible = channels.filter(({ isSubscribed, ...channel }) => {
      const guarded = { ...channel, ...resolveChannelPermissions(channel, systemGroups) };
      return hasMetadataAccess(guarded, { role, groups, isSubscribed });
    });
    return new Map(visible.map(({ id }) => [id, [userId]]));
  }
}
