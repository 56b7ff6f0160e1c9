import { Controller } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import { SubgroupsService } from './subgroups.service.js';
import { toUserGroupResponse } from './user-groups.response.js';
import { changeSubgroups, listUserGroups, includesDeactivated } from './user-groups.schema.js';
import { UserGroupsService } from './user-groups.service.js';

@Controller()
export class UserGroupsController {
  constructor(
    private readonly userGroups: UserGroupsService,
    private readonly subgroups: SubgroupsService,
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
    await this.subgroups.change(caller, groupId, { add, remove });
  }
}
