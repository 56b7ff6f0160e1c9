import { Injectable } from '@nestjs/common';
import { ApiError, type Caller, roleErrors } from '#platform/contracts';
import { GroupMembershipRepository } from './group-membership.repository.js';
import {
  GroupSettingRepository,
  type GroupSettingValue,
  type GroupSettingValues,
} from './group-setting.repository.js';
import { maySetSubgroups, planSubgroups, type SubgroupChange } from './subgroup-change.rules.js';
import { SubgroupRepository } from './subgroup.repository.js';
import { SystemGroupRepository } from './system-group.repository.js';
import {
  MANAGE_ALL_GROUPS_DEFAULT,
  resolveUserGroupPermissions,
  type UserGroupPermission,
  type UserGroupPermissions,
} from './user-group-permissions.js';
import { type UserGroupWithMembers, UserGroupRepository } from './user-group.repository.js';
import { userGroupErrors } from './user-groups.errors.js';

/** A group with its permissions in the format of the API. */
export interface UserGroup extends Omit<UserGroupWithMembers, UserGroupPermission> {
  /** The holders of each permission. */
  readonly settings: Readonly<Record<UserGroupPermission, GroupSettingValue>>;
}

/** The user groups of an organisation. */
@Injectable()
export class UserGroupsService {
  constructor(
    private readonly groups: UserGroupRepository,
    private readonly settings: GroupSettingRepository,
    private readonly systemGroups: SystemGroupRepository,
    private readonly subgroups: SubgroupRepository,
    private readonly membership: GroupMembershipRepository,
  ) {}

  /** The groups of the caller's organisation in the order of their ids, including system groups: two statements. */
  async list(caller: Caller, withDeactivated: boolean): Promise<UserGroup[]> {
    const [groups, systemGroups] = await Promise.all([
      this.groups.list(caller.realm.id, withDeactivated),
      this.systemGroups.idsOf(caller.realm.id),
    ]);
    const resolved = groups.map((group) => ({
      group,
      permissions: resolveUserGroupPermissions(group, systemGroups),
    }));
    const values = await this.settings.valuesOf(
      resolved.flatMap(({ permissions }) => Object.values(permissions)),
    );
    return resolved.map(({ group, permissions }) => ({
      ...group,
      settings: settingsOf(permissions, values),
    }));
  }

  /**
   * Adds subgroups to a group and removes others, in one transaction. Rejects with ApiError for an empty change, an
   * unknown group, a missing permission, and for groups that cannot be added or removed.
   */
  async changeSubgroups(caller: Caller, groupId: number, change: SubgroupChange): Promise<void> {
    if (change.add.length === 0 && change.remove.length === 0) {
      throw new ApiError(userGroupErrors.noSubgroupChange);
    }
    await this.#requirePermission(caller, groupId, change);
    const supergroup = { realmId: caller.realm.id, groupId };
    await this.subgroups.change(supergroup, change, (state) =>
      planSubgroups(groupId, change, state),
    );
  }

  async #requirePermission(caller: Caller, groupId: number, change: SubgroupChange): Promise<void> {
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
  }
}

function settingsOf(
  permissions: UserGroupPermissions,
  values: GroupSettingValues,
): UserGroup['settings'] {
  const entries = Object.entries(permissions).map(([permission, groupId]) => [
    permission,
    values.get(groupId) ?? groupId,
  ]);
  // fromEntries loses the type of the keys.
  return Object.fromEntries(entries) as UserGroup['settings'];
}
