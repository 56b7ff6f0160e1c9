export { ChangeSubgroups } from './change-subgroups.js';
export { GroupMembershipRepository } from './group-membership.repository.js';
export {
  GroupSettingRepository,
  type GroupSettingValue,
  type GroupSettingValues,
} from './group-setting.repository.js';
export { ListUserGroups, type UserGroup } from './list-user-groups.js';
export { resolvePermissions } from './resolve-permissions.js';
export type { WantedSubgroups } from './subgroup-change.rules.js';
export {
  createSystemGroups,
  type SystemGroupIds,
  SystemGroupRepository,
} from './system-group.repository.js';
export { type SystemGroupName, systemGroups } from './system-groups.js';
export { UserGroupsModule } from './user-groups.module.js';
