import { Injectable } from '@nestjs/common';
import { mapInSlices } from '#platform/core';
import type { Session } from '#platform/database';
import {
  GroupSettingRepository,
  type GroupSettingValue,
  type GroupSettingValues,
} from './group-setting.repository.js';
import {
  type SystemGroupIds,
  systemGroupIdsIn,
  SystemGroupRepository,
} from './system-group.repository.js';
import {
  resolveUserGroupPermissions,
  type UserGroupPermission,
  type UserGroupPermissions,
} from './user-group-permissions.js';
import { type UserGroupWithMembers, UserGroupRepository } from './user-group.repository.js';

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
  ) {}

  /** The groups of an organisation in the order of their ids, including system groups: two statements. */
  async list(realmId: number, withDeactivated: boolean, session?: Session): Promise<UserGroup[]> {
    const groups = await this.groups.list(realmId, withDeactivated, session);
    return this.#withSettings(groups, systemGroupIdsIn(realmId, groups), session);
  }

  /** A group of an organisation, active or deactivated. Rejects with an Error for an unknown id. */
  async one(realmId: number, groupId: number, session: Session): Promise<UserGroup> {
    const systemGroups = await this.systemGroups.idsOf(realmId, session);
    const groups = await this.groups.list(realmId, true, session, groupId);
    const [group] = await this.#withSettings(groups, systemGroups, session);
    if (group === undefined) throw new Error(`There is no group ${groupId}`);
    return group;
  }

  async #withSettings(
    groups: readonly UserGroupWithMembers[],
    systemGroups: SystemGroupIds,
    session?: Session,
  ): Promise<UserGroup[]> {
    const holderIds = new Set<number>();
    const resolved = await mapInSlices(groups, (group) => {
      const permissions = resolveUserGroupPermissions(group, systemGroups);
      for (const id of Object.values(permissions)) holderIds.add(id);
      return { group, permissions };
    });
    const values = await this.settings.valuesOf(holderIds, session);
    return mapInSlices(resolved, ({ group, permissions }) => ({
      ...group,
      settings: settingsOf(permissions, values),
    }));
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
