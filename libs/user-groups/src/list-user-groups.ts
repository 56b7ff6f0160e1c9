import { Injectable } from '@nestjs/common';
import type { Caller } from '#contracts';
import {
  GroupSettingRepository,
  type GroupSettingValue,
  type GroupSettingValues,
} from './group-setting.repository.js';
import { SystemGroupRepository } from './system-group.repository.js';
import {
  resolveUserGroupPermissions,
  type UserGroupPermission,
  type UserGroupPermissions,
} from './user-group-permissions.js';
import { type PeopledUserGroup, UserGroupRepository } from './user-group.repository.js';

/** A group of people as it is told of. */
export interface UserGroup extends Omit<PeopledUserGroup, UserGroupPermission> {
  /** Who has each permission of the group. */
  readonly settings: Readonly<Record<UserGroupPermission, GroupSettingValue>>;
}

/** Tells of all groups of the caller's organisation. */
@Injectable()
export class ListUserGroups {
  constructor(
    private readonly groups: UserGroupRepository,
    private readonly settings: GroupSettingRepository,
    private readonly systemGroups: SystemGroupRepository,
  ) {}

  /** In the order of their ids, the system groups included: two statements, however many there are. */
  async execute(caller: Caller, withDeactivated: boolean): Promise<UserGroup[]> {
    const [groups, systemGroups] = await Promise.all([
      this.groups.list(caller.realm.id, withDeactivated),
      this.systemGroups.idsOf(caller.realm.id),
    ]);
    const guarded = groups.map((group) => ({
      group,
      permissions: resolveUserGroupPermissions(group, systemGroups),
    }));
    const values = await this.settings.valuesOf(
      guarded.flatMap(({ permissions }) => Object.values(permissions)),
    );
    return guarded.map(({ group, permissions }) => ({
      ...group,
      settings: settingsOf(permissions, values),
    }));
  }
}

function settingsOf(
  permissions: UserGroupPermissions,
  values: GroupSettingValues,
): UserGroup['settings'] {
  const told = Object.entries(permissions).map(([permission, groupId]) => [
    permission,
    values.get(groupId) ?? groupId,
  ]);
  // The keys of one are those of the other.
  return Object.fromEntries(told) as UserGroup['settings'];
}
