import type { UserGroupPermission } from './user-group-permissions.js';
import type { UserGroup } from './user-groups.service.js';

/** The names of the permissions in the API. */
export const permissionFields = {
  canAddMembersId: 'can_add_members_group',
  canJoinId: 'can_join_group',
  canLeaveId: 'can_leave_group',
  canManageId: 'can_manage_group',
  canMentionId: 'can_mention_group',
  canRemoveMembersId: 'can_remove_members_group',
} as const satisfies Record<UserGroupPermission, string>;

/** A group in the format of the API. */
export const toUserGroupResponse = ({ settings, ...group }: UserGroup) => ({
  id: group.id,
  name: group.name,
  description: group.description,
  is_system_group: group.isSystem,
  members: group.members,
  direct_subgroup_ids: group.subgroups,
  creator_id: group.creatorId,
  date_created: group.createdAt === null ? null : Math.floor(group.createdAt.getTime() / 1000),
  deactivated: group.deactivatedAt !== null,
  can_add_members_group: settings.canAddMembersId,
  can_join_group: settings.canJoinId,
  can_leave_group: settings.canLeaveId,
  can_manage_group: settings.canManageId,
  can_mention_group: settings.canMentionId,
  can_remove_members_group: settings.canRemoveMembersId,
});
