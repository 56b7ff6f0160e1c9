import { resolvePermissions } from './resolve-permissions.js';
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
const systemGroupPermissionDefaults = {
  canAddMembersId: 'role:nobody',
  canJoinId: 'role:nobody',
  canLeaveId: 'role:nobody',
  canManageId: 'role:nobody',
  canMentionId: 'role:nobody',
  canRemoveMembersId: 'role:nobody',
} as const satisfies Record<keyof typeof userGroupPermissionDefaults, SystemGroupName>;

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
  const defaults = stored.isSystem ? systemGroupPermissionDefaults : userGroupPermissionDefaults;
  return resolvePermissions<UserGroupPermission>(defaults, stored, systemGroups);
}
