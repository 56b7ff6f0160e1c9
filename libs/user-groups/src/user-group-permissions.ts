import type { SystemGroupIds } from './system-group.repository.js';
import type { SystemGroupName } from './system-groups.js';

/** Who has a permission of a user group while its own setting is empty; the names are those of the columns. */
export const userGroupPermissionDefaults = {
  canAddMembersId: 'role:nobody',
  canJoinId: 'role:nobody',
  canLeaveId: 'role:everyone',
  canManageId: 'role:nobody',
  canMentionId: 'role:everyone',
  canRemoveMembersId: 'role:nobody',
} as const satisfies Record<string, SystemGroupName>;

/** Roles alone decide who is in a system group, and nobody can call all of a role by its name. */
export const SYSTEM_GROUP_PERMISSION_DEFAULT: SystemGroupName = 'role:nobody';

/** Who may change every group of an organisation that has not said. */
export const MANAGE_ALL_GROUPS_DEFAULT: SystemGroupName = 'role:owners';

export type UserGroupPermission = keyof typeof userGroupPermissionDefaults;

/** The group that has each permission of a user group. */
export type UserGroupPermissions = Readonly<Record<UserGroupPermission, number>>;

/** The permissions of a user group as its row has them, with the defaults where it has none. */
export function resolveUserGroupPermissions(
  stored: Readonly<Record<UserGroupPermission, number | null>> & { readonly isSystem: boolean },
  systemGroups: SystemGroupIds,
): UserGroupPermissions {
  const resolved = Object.entries(userGroupPermissionDefaults).map(([permission, group]) => [
    permission,
    // The entries of an object with these keys and no others.
    stored[permission as UserGroupPermission] ??
      systemGroups[stored.isSystem ? SYSTEM_GROUP_PERMISSION_DEFAULT : group],
  ]);
  return Object.fromEntries(resolved) as UserGroupPermissions;
}
