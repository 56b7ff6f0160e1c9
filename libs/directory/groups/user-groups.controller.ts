import { Controller } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import { MembershipChangesService } from './membership-changes.service.js';
import { toUserGroupResponse } from './user-groups.response.js';
import { changeSubgroups, listUserGroups, includesDeactivated } from './user-groups.schema.js';
import { UserGroupsService } from './user-groups.service.js';

@Controller()
export class UserGroupsController {
  constructor(
    private readonly userGroups: UserGroupsService,
    private readonly memberships: MembershipChangesService,
  ) {}

  @Endpoint(listUserGroups)
  async list(
    @SignedIn() caller: Caller,
    @Parameters() parameters: ParametersOf<typeof listUserGroups>,
  ) {
    const groups = await this.userGroups.list(caller.realm.id, includesDeactivated(parameters));
    return { user_groups: groups.map(toUserGroupResponse) };
  }

  @Endpoint(changeSubgroups)
  async change(
    @SignedIn() caller: Caller,
    @Parameters() parameters: ParametersOf<typeof changeSubgroups>,
  ) {
    const { user_group_id: groupId, add, delete: remove } = parameters;
    const noMembers = { add: [], remove: [] };
    await this.memberships.change(caller, groupId, noMembers, { add, remove });
  }
}
