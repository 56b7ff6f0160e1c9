import { Controller } from '@nestjs/common';
import type { Caller } from '#contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#edge';
import { ChangeSubgroups, ListUserGroups } from '#user-groups';
import { userGroupAnswer } from './user-groups.answer.js';
import { changeSubgroups, listUserGroups, wantsDeactivated } from './user-groups.schema.js';

@Controller()
export class UserGroupsController {
  constructor(
    private readonly listGroups: ListUserGroups,
    private readonly subgroups: ChangeSubgroups,
  ) {}

  @Endpoint(listUserGroups)
  async list(
    @SignedIn() caller: Caller,
    @Parameters() parameters: ParametersOf<typeof listUserGroups>,
  ) {
    const groups = await this.listGroups.execute(caller, wantsDeactivated(parameters));
    return { user_groups: groups.map(userGroupAnswer) };
  }

  @Endpoint(changeSubgroups)
  async change(
    @SignedIn() caller: Caller,
    @Parameters() parameters: ParametersOf<typeof changeSubgroups>,
  ) {
    const { user_group_id: groupId, add, delete: remove } = parameters;
    await this.subgroups.execute(caller, groupId, { add, remove });
  }
}
