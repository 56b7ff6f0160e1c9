import type { SystemGroupIds } from './system-group.repository.js';
import type { SystemGroupName } from './system-groups.js';

/** The default groups of the permissions of a user group. */
const userGroupPermissionDefaults = {
  canAddMembersId: 'role:nobody',
  canJoinId: 'role:nobody',
  canLeaveId: 'role:everyone',
  canManageId: 'role:nobody',
  canMentionId: 'role:everyone',
  canRemoveMembersId: 'role:nobody',
} as const satisfies Record<string, SystemGroupName>;

/** The permissions of a system group: its members follow from roles, and no account may mention it. */
const systemGroupPermissionDefaults = {
  canAddMembersId: 'role:nobody',
  canJoinId: 'role:nobody',
  canLeaveId: 'role:nobody',
  canManageId: 'role:nobody',
  canMentionId: 'role:nobody',
  canRemoveMembersId: 'role:nobody',
} as const satisfies Record<keyof typeof userGroupPermissionDefaults, SystemGroupName>;

/** The default group of the permission to manage all groups. */
export const MANAGE_ALL_GROUPS_DEFAULT: SystemGroupName = 'role:owners';

export type UserGroupPermission = keyof typeof userGroupPermissionDefaults;

/** The group that has each permission of a user group. */
export type UserGroupPermissions = Readonly<Record<UserGroupPermission, number>>;

/** The permissions of a user group: the stored groups, else the defaults. */
export function resolveUserGroupPermissions(
  stored: Readonly<Record<UserGroupPermission, number | null>> & { readonly isSystem: boolean },
  systemGroups: SystemGroupIds,
): UserGroupPermissions {
  const defaults = stored.isSystem ? systemGroupPermissionDefaults : userGroupPermissionDefaults;
  return resolvePermissions<UserGroupPermission>(defaults, stored, systemGroups);
}

/** The group of each permission: the stored group, else the default. */
export function resolvePermissions<Permission extends string>(
  defaults: Readonly<Record<Permission, SystemGroupName>>,
  stored: Readonly<Record<Permission, number | null>>,
  systemGroups: SystemGroupIds,
): Readonly<Record<Permission, number>> {
  // Object.keys and fromEntries lose the type of the keys.
  const permissions = Object.keys(defaults) as Permission[];
  return Object.fromEntries(
    permissions.map((name) => [name, stored[name] ?? systemGroups[defaults[name]]]),
  ) as Record<Permission, number>;
}
