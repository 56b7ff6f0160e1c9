import { Injectable } from '@nestjs/common';
import { ApiError, type Caller, roleErrors } from '#platform/contracts';
import { Database } from '#platform/database';
import { GroupMembershipRepository } from './group-membership.repository.js';
import { maySetSubgroups, planSubgroups, type SubgroupChange } from './subgroup-change.rules.js';
import { SubgroupRepository } from './subgroup.repository.js';
import { SystemGroupRepository } from './system-group.repository.js';
import {
  MANAGE_ALL_GROUPS_DEFAULT,
  resolveUserGroupPermissions,
} from './user-group-permissions.js';
import { UserGroupRepository, type UserGroupWithPolicy } from './user-group.repository.js';
import { userGroupErrors } from './user-groups.errors.js';
import { UserGroupEvents } from './user-groups.events.js';

/** The subgroups of user groups. */
@Injectable()
export class SubgroupsService {
  constructor(
    private readonly groups: UserGroupRepository,
    private readonly membership: GroupMembershipRepository,
    private readonly systemGroups: SystemGroupRepository,
    private readonly subgroups: SubgroupRepository,
    private readonly database: Database,
    private readonly events: UserGroupEvents,
  ) {}

  /**
   * Adds subgroups to a group and removes others, in one transaction. Rejects with ApiError for an empty change, an
   * unknown group, a missing permission, and for groups that cannot be added or removed.
   */
  async change(caller: Caller, groupId: number, wanted: SubgroupChange): Promise<void> {
    if (wanted.add.length === 0 && wanted.remove.length === 0) {
      throw new ApiError(userGroupErrors.noSubgroupChange);
    }
    const group = await this.#requirePermission(caller, groupId, wanted);
    const realmId = caller.realm.id;
    const plan = planSubgroups.bind(null, groupId, wanted);
    await this.database.transaction(async (transaction) => {
      const change = await this.subgroups.change({ realmId, groupId }, wanted, plan, transaction);
      const isDeactivated = group.deactivatedAt !== null;
      this.events.subgroupsChanged(transaction, { realmId, groupId, isDeactivated }, change);
    });
  }

  async #requirePermission(
    caller: Caller,
    groupId: number,
    change: SubgroupChange,
  ): Promise<UserGroupWithPolicy> {
    const [group, groups, systemGroups] = await Promise.all([
      this.groups.find(caller.realm.id, groupId),
      this.membership.groupsOf(caller.userId),
      this.systemGroups.idsOf(caller.realm.id),
    ]);
    if (group === null) throw new ApiError(userGroupErrors.invalidUserGroup);
    const permissions = {
      ...resolveUserGroupPermissions(group, systemGroups),
      isSystem: group.isSystem,
      canManageAllGroupsId: group.canManageAllGroupsId ?? systemGroups[MANAGE_ALL_GROUPS_DEFAULT],
    };
    if (!maySetSubgroups(permissions, groups, change))
      throw new ApiError(roleErrors.insufficientPermission);
    return group;
  }
}
