import type { SystemGroupName } from './system-groups.js';

/** The permissions of an organisation that are stored, by their names in the API, with the group that has each by default. */
export const realmPermissionDefaults = {
  can_access_all_users_group: 'role:everyone',
  can_add_subscribers_group: 'role:members',
  can_create_users_group: 'role:administrators',
  can_delete_any_message_group: 'role:administrators',
  can_manage_all_groups: 'role:owners',
} as const satisfies Record<string, SystemGroupName>;

export type RealmPermission = keyof typeof realmPermissionDefaults;

/** Their columns in the table `realms`. */
export const realmPermissionColumns = {
  can_access_all_users_group: 'can_access_all_users_group_id',
  can_add_subscribers_group: 'can_add_subscribers_id',
  can_create_users_group: 'can_create_users_group_id',
  can_delete_any_message_group: 'can_delete_any_message_id',
  can_manage_all_groups: 'can_manage_all_groups_id',
} as const satisfies Record<RealmPermission, string>;
