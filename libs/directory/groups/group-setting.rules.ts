import { z } from 'zod';
import { ApiError } from '#platform/contracts';
import type { GroupSettingValue } from './group-setting.repository.js';
import type { SystemGroupIds } from './system-group.repository.js';
import type { SystemGroupName } from './system-groups.js';
import type { UserGroupPermission } from './user-group-permissions.js';
import { userGroupErrors } from './user-groups.errors.js';
import { permissionFields } from './user-groups.response.js';

/** The most accounts or groups that hold a permission directly. */
const MAX_HOLDERS = 1000;

/** The holders of a permission in requests. */
export const groupSettingParameter = z.union([
  z.int(),
  z.object({
    direct_members: z.array(z.int()).max(MAX_HOLDERS),
    direct_subgroups: z.array(z.int()).max(MAX_HOLDERS),
  }),
]);

/** The system groups that cannot have a permission. */
const forbidden: Readonly<Record<UserGroupPermission, readonly SystemGroupName[]>> = {
  canAddMembersId: ['role:internet', 'role:everyone'],
  canJoinId: ['role:internet'],
  canLeaveId: ['role:internet'],
  canManageId: ['role:internet', 'role:everyone'],
  canMentionId: ['role:internet', 'role:owners'],
  canRemoveMembersId: ['role:internet', 'role:everyone'],
};

/**
 * The simplest form of the holders of a permission: a list of one group is that group, and an empty list is the group
 * without members.
 */
export function normalizeSetting(
  given: GroupSettingValue,
  systemGroups: SystemGroupIds,
): GroupSettingValue {
  if (typeof given === 'number') return given;
  const members = ascending(given.direct_members);
  const subgroups = ascending(given.direct_subgroups);
  const [first, ...others] = subgroups;
  if (members.length > 0 || others.length > 0) {
    return { direct_members: members, direct_subgroups: subgroups };
  }
  return first ?? systemGroups['role:nobody'];
}

/** Throws `groupSettingForbidden` for a system group that cannot have the permission. */
export function refuseSetting(
  permission: UserGroupPermission,
  value: GroupSettingValue,
  systemGroups: SystemGroupIds,
): void {
  const name = forbidden[permission].find((group) => systemGroups[group] === value);
  if (name === undefined) return;
  const setting = permissionFields[permission];
  throw new ApiError(userGroupErrors.groupSettingForbidden, { setting, name });
}

/** Whether two values in their simplest form have the same holders. */
export const isSameSetting = (one: GroupSettingValue, other: GroupSettingValue): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** The accounts and groups that hold permissions. */
export const holdersIn = (
  values: readonly GroupSettingValue[],
): { readonly userIds: number[]; readonly groupIds: number[] } => ({
  userIds: values.flatMap((value) => (typeof value === 'number' ? [] : value.direct_members)),
  groupIds: values.flatMap((value) =>
    typeof value === 'number' ? [value] : value.direct_subgroups,
  ),
});

const ascending = (ids: readonly number[]): number[] =>
  [...new Set(ids)].toSorted((one, other) => one - other);
