import { Injectable } from '@nestjs/common';
import { ApiError, type Caller, isAdministrator } from '#contracts';
import { GroupMembershipRepository, SystemGroupRepository } from '#user-groups';
import { type CandidateChannel, ChannelListRepository } from './channel-list.repository.js';
import { resolveChannelPermissions } from './channel-permissions.js';
import { type ChannelSources, isSelected } from './channel-selection.rules.js';
import { type DescribedChannel, DescribeChannels } from './describe-channels.js';

/** Which channels a list is to have. */
export interface ChannelQuery {
  readonly sources: ChannelSources;
  readonly excludeArchived: boolean;
  /** Asks for what only administrators may ask for. */
  readonly needsAdministrator: boolean;
}

/** Lists channels of the organisation that the caller may know of. */
@Injectable()
export class ListChannels {
  constructor(
    private readonly lists: ChannelListRepository,
    private readonly membership: GroupMembershipRepository,
    private readonly systemGroups: SystemGroupRepository,
    private readonly describeChannels: DescribeChannels,
  ) {}

  /**
   * The channels of all sources that are asked for, by name: a bounded number of statements. Throws
   * `notAuthorizedForQuery` when only administrators may ask so.
   */
  async execute(
    caller: Caller,
    query: ChannelQuery,
  ): Promise<DescribedChannel<CandidateChannel>[]> {
    if (query.needsAdministrator && !isAdministrator(caller.role)) {
      throw new ApiError('notAuthorizedForQuery');
    }
    const { sources, excludeArchived } = query;
    if (!Object.values(sources).includes(true)) return [];
    const [candidates, groups, systemGroups] = await Promise.all([
      this.lists.candidatesFor(caller.realm.id, caller.userId, excludeArchived),
      this.membership.groupsOf(caller.userId),
      this.systemGroups.idsOf(caller.realm.id),
    ]);
    const viewer = { role: caller.role, groups };
    const selected = candidates.filter((channel) => {
      const permissions = resolveChannelPermissions(channel, systemGroups);
      return isSelected({ ...channel, ...permissions }, sources, viewer);
    });
    return this.describeChannels.execute(caller.realm.id, selected);
  }
}
