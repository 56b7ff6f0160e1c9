import { Injectable } from '@nestjs/common';
import { GroupMembershipRepository, SystemGroupRepository } from '#directory/groups';
import { UserAccess } from '#directory/users';
import type { Caller } from '#platform/contracts';
import { Database } from '#platform/database';
import { hasMetadataAccess } from '../access/channel-access.rules.js';
import { resolveChannelPermissions } from '../channel-permission-table.rules.js';
import { SubscriptionRepository } from '../subscriptions/subscription.repository.js';

/** The channels that an account is subscribed to, as another account sees them. */
@Injectable()
export class UserChannelsService {
  constructor(
    private readonly database: Database,
    private readonly users: UserAccess,
    private readonly subscriptions: SubscriptionRepository,
    private readonly membership: GroupMembershipRepository,
    private readonly systemGroups: SystemGroupRepository,
  ) {}

  /**
   * The ids of the channels that an account, a bot too, is subscribed to and that the caller may see, in ascending order;
   * without archived ones. Rejects with `noSuchUser`.
   */
  async channelsOf(caller: Caller, userId: number): Promise<number[]> {
    await this.users.requireVisible(caller, userId);
    return this.database.snapshot(async (snapshot) => {
      const realmId = caller.realm.id;
      const listed = { realmId, userId: caller.userId, withArchived: false };
      const channels = await this.subscriptions.allOf(snapshot, listed);
      const groups = await this.membership.groupsOf(caller.userId, snapshot);
      const systemGroups = await this.systemGroups.idsOf(realmId, snapshot);
      const joined = new Set(await this.subscriptions.channelsOf(snapshot, userId));
      const { role } = caller;
      return channels
        .filter((channel) => {
          const guarded = { ...channel, ...resolveChannelPermissions(channel, systemGroups) };
          const viewer = { role, groups, isSubscribed: channel.isSubscribed };
          return joined.has(channel.id) && hasMetadataAccess(guarded, viewer);
        })
        .map(({ id }) => id)
        .toSorted((one, other) => one - other);
    });
  }
}
