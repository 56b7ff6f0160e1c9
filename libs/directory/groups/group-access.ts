import { Injectable } from '@nestjs/common';
import { ApiError, type Caller } from '#platform/contracts';
import type { Transaction } from '#platform/database';
import { authorityIn, type GroupAuthority } from './group-authority.rules.js';
import { GroupMembershipRepository } from './group-membership.repository.js';
import { lockRealm } from './lock-realm.js';
import { SystemGroupRepository } from './system-group.repository.js';
import {
  MANAGE_ALL_GROUPS_DEFAULT,
  resolveUserGroupPermissions,
  type UserGroupPermissions,
} from './user-group-permissions.js';
import { UserGroupRepository, type UserGroupWithPolicy } from './user-group.repository.js';
import { userGroupErrors } from './user-groups.errors.js';

/** A group that is about to change. */
export interface GroupToChange {
  readonly group: UserGroupWithPolicy;
  readonly permissions: UserGroupPermissions;
  readonly authority: GroupAuthority;
}

/** Finds groups to change, with the changes that the caller may make. */
@Injectable()
export class GroupAccess {
  constructor(
    private readonly groups: UserGroupRepository,
    private readonly membership: GroupMembershipRepository,
    private readonly systemGroups: SystemGroupRepository,
  ) {}

  /**
   * Blocks other changes of groups in the organisation until the end of the transaction, and resolves with a group, active
   * or deactivated. Rejects with `invalidUserGroup`.
   */
  async lock(transaction: Transaction, caller: Caller, groupId: number): Promise<GroupToChange> {
    const realmId = caller.realm.id;
    await lockRealm(transaction, realmId);
    const group = await this.groups.find(realmId, groupId, transaction);
    if (group === null) throw new ApiError(userGroupErrors.invalidUserGroup);
    const groups = await this.membership.groupsOf(caller.userId, transaction);
    const systemGroups = await this.systemGroups.idsOf(realmId, transaction);
    const permissions = resolveUserGroupPermissions(group, systemGroups);
    const manageAllId = group.canManageAllGroupsId ?? systemGroups[MANAGE_ALL_GROUPS_DEFAULT];
    const guarded = { ...permissions, isSystem: group.isSystem, manageAllId };
    return { group, permissions, authority: authorityIn(guarded, groups) };
  }
}
