import { Controller } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import { changeSubgroups, listUserGroups, includesDeactivated } from './user-groups.schema.js';
import { type UserGroup, UserGroupsService } from './user-groups.service.js';

@Controller()
export class UserGroupsController {
  constructor(private readonly userGroups: UserGroupsService) {}

  @Endpoint(listUserGroups)
  async list(
    @SignedIn() caller: Caller,
    @Parameters() parameters: ParametersOf<typeof listUserGroups>,
  ) {
    const groups = await this.userGroups.list(caller, includesDeactivated(parameters));
    return { user_groups: groups.map(toUserGroupResponse) };
  }

  @Endpoint(changeSubgroups)
  async change(
    @SignedIn() caller: Caller,
    @Parameters() parameters: ParametersOf<typeof changeSubgroups>,
  ) {
    const { user_group_id: groupId, add, delete: remove } = parameters;
    await this.userGroups.changeSubgroups(caller, groupId, { add, remove });
  }
}

const toUserGroupResponse = ({ settings, ...group }: UserGroup) => ({
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
