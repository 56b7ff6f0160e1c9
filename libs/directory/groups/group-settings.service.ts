import { Injectable } from '@nestjs/common';
import { ApiError } from '#platform/contracts';
import type { Transaction } from '#platform/database';
import { GroupMemberRepository } from './group-member.repository.js';
import type { GroupSettingValue } from './group-setting.repository.js';
import { holdersIn, normalizeSetting, refuseSetting } from './group-setting.rules.js';
import { PermissionHoldersRepository } from './permission-holders.repository.js';
import { SystemGroupRepository } from './system-group.repository.js';
import type { UserGroupPermission } from './user-group-permissions.js';
import { UserGroupRepository } from './user-group.repository.js';
import { userGroupErrors } from './user-groups.errors.js';

/** New holders of permissions; missing ones stay unchanged. */
export type HolderChanges = Partial<Readonly<Record<UserGroupPermission, GroupSettingValue>>>;

/** Checks and stores the holders of the permissions of groups. */
@Injectable()
export class GroupSettingsService {
  constructor(
    private readonly members: GroupMemberRepository,
    private readonly groups: UserGroupRepository,
    private readonly holders: PermissionHoldersRepository,
    private readonly systemGroups: SystemGroupRepository,
  ) {}

  /** The values in their simplest form. Rejects with ApiError for holders that do not exist or cannot have it. */
  async check(
    transaction: Transaction,
    realmId: number,
    given: HolderChanges,
  ): Promise<HolderChanges> {
    const systemGroups = await this.systemGroups.idsOf(realmId, transaction);
    const values = entriesOf(given).map(
      ([permission, value]) => [permission, normalizeSetting(value, systemGroups)] as const,
    );
    for (const [permission, value] of values) refuseSetting(permission, value, systemGroups);
    const { groupIds, userIds } = holdersIn(values.map(([, value]) => value));
    await this.requireAccounts(transaction, realmId, userIds);
    await this.#requireGroups(transaction, realmId, groupIds);
    return Object.fromEntries(values);
  }

  /** Rejects with `invalidUserId` for the first id without an active account. */
  async requireAccounts(
    transaction: Transaction,
    realmId: number,
    userIds: readonly number[],
  ): Promise<void> {
    if (userIds.length === 0) return;
    const found = await this.members.activeAccounts(transaction, realmId, userIds);
    for (const id of userIds) {
      if (!found.has(id)) throw new ApiError(userGroupErrors.invalidUserId, { id });
    }
  }

  /** Rejects with `invalidUserGroupId` or `userGroupDeactivated` for the first id without an active group. */
  async #requireGroups(
    transaction: Transaction,
    realmId: number,
    groupIds: readonly number[],
  ): Promise<void> {
    if (groupIds.length === 0) return;
    const found = await this.groups.statesOf(realmId, groupIds, transaction);
    for (const id of groupIds) {
      const state = found.get(id);
      if (state === undefined) throw new ApiError(userGroupErrors.invalidUserGroupId, { id });
      if (state.isDeactivated) throw new ApiError(userGroupErrors.userGroupDeactivated);
    }
  }

  /** Stores checked values and resolves with the id of the group of each: single holders get a group without a name. */
  async store(
    transaction: Transaction,
    realmId: number,
    values: HolderChanges,
  ): Promise<Partial<Record<UserGroupPermission, number>>> {
    const stored: Partial<Record<UserGroupPermission, number>> = {};
    for (const [permission, value] of entriesOf(values)) {
      stored[permission] = await this.holders.storeOne(transaction, realmId, value);
    }
    return stored;
  }
}

const entriesOf = (given: HolderChanges): [UserGroupPermission, GroupSettingValue][] =>
  // Object.entries loses the type of the keys.
  (Object.entries(given) as [UserGroupPermission, GroupSettingValue | undefined][]).flatMap(
    ([permission, value]) => (value === undefined ? [] : [[permission, value]]),
  );
