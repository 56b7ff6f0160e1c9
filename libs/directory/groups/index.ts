export { directGroupsOf, directMembersOf } from './direct-members.js';
export { GUEST_ACCESS_HOOK, type GuestAccessHook } from './guest-access-hook.js';
export { type ObjectPermissions, heldOf } from './group-uses.repository.js';
export { GroupReadingService } from './group-reading.service.js';
export { GROUP_NOTICES, type GroupNotices, type MembershipNotice } from './group-notices.js';
export { GroupMembershipRepository } from './group-membership.repository.js';
export {
  GroupSettingRepository,
  type GroupSettingValue,
  type GroupSettingValues,
} from './group-setting.repository.js';
export { groupSettingParameter, isSameSetting, normalizeSetting } from './group-setting.rules.js';
export { PermissionHoldersRepository } from './permission-holders.repository.js';
export {
  type ConcernedAccounts,
  MEMBERSHIP_HOOK,
  type MembershipChange,
  type MembershipHook,
} from './membership-hook.js';
export {
  type RealmPermission,
  realmPermissionColumns,
  realmPermissionDefaults,
} from './realm-permissions.js';
export { lockRealm } from './lock-realm.js';
export { resolvePermissions } from './user-group-permissions.js';
export {
  createSystemGroups,
  type SystemGroupIds,
  SystemGroupRepository,
} from './system-group.repository.js';
export { shownGroupName, type SystemGroupName, systemGroups } from './system-groups.js';
export { UserGroupsModule } from './user-groups.module.js';
export { userGroupErrors } from './user-groups.errors.js';
export { UserGroupEvents } from './user-groups.events.js';
export { MAX_GROUP_BYTES } from './group-size.repository.js';
export { MAX_GROUPS } from './new-user-group.service.js';
