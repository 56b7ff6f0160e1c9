import { Injectable } from '@nestjs/common';
import { ApiError, type Caller } from '#contracts';
import { GroupMembershipRepository } from './group-membership.repository.js';
import { maySetSubgroups, planSubgroups, type WantedSubgroups } from './subgroup-change.rules.js';
import { SubgroupRepository } from './subgroup.repository.js';
import { SystemGroupRepository } from './system-group.repository.js';
import {
  MANAGE_ALL_GROUPS_DEFAULT,
  resolveUserGroupPermissions,
} from './user-group-permissions.js';
import { UserGroupRepository } from './user-group.repository.js';

/** Puts groups into a group and takes others out of it. */
@Injectable()
export class ChangeSubgroups {
  constructor(
    private readonly groups: UserGroupRepository,
    private readonly subgroups: SubgroupRepository,
    private readonly membership: GroupMembershipRepository,
    private readonly systemGroups: SystemGroupRepository,
  ) {}

  /**
   * All of it or nothing. Rejects with ApiError for a change of nothing, a group that there is none of,
   * without the permission, and for groups that cannot be added or removed.
   */
  async execute(caller: Caller, groupId: number, wanted: WantedSubgroups): Promise<void> {
    if (wanted.add.length === 0 && wanted.remove.length === 0) {
      throw new ApiError('noSubgroupChange');
    }
    await this.#refuseUnlessAllowed(caller, groupId, wanted);
    const supergroup = { realmId: caller.realm.id, groupId };
    await this.subgroups.change(supergroup, wanted, (situation) =>
      planSubgroups(groupId, wanted, situation),
    );
  }

  async #refuseUnlessAllowed(
    caller: Caller,
    groupId: number,
    wanted: WantedSubgroups,
  ): Promise<void> {
    const [group, groups, systemGroups] = await Promise.all([
      this.groups.find(caller.realm.id, groupId),
      this.membership.groupsOf(caller.userId),
      this.systemGroups.idsOf(caller.realm.id),
    ]);
    if (group === null) throw new ApiError('invalidUserGroup');
    const guard = {
      ...resolveUserGroupPermissions(group, systemGroups),
      isSystem: group.isSystem,
      canManageAllGroupsId: group.canManageAllGroupsId ?? systemGroups[MANAGE_ALL_GROUPS_DEFAULT],
    };
    if (!maySetSubgroups(guard, groups, wanted)) throw new ApiError('insufficientPermission');
  }
}
