import { Controller } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import { mapInSlices } from '#platform/core';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import { toUserGroupResponse } from './user-groups.response.js';
import { includesDeactivated, listUserGroups } from './user-groups.schema.js';
import { UserGroupsService } from './user-groups.service.js';

@Controller()
export class UserGroupsController {
  constructor(private readonly userGroups: UserGroupsService) {}

  @Endpoint(listUserGroups)
  async list(
    @SignedIn() caller: Caller,
    @Parameters() parameters: ParametersOf<typeof listUserGroups>,
  ) {
    const groups = await this.userGroups.list(caller.realm.id, includesDeactivated(parameters));
    return { user_groups: await mapInSlices(groups, toUserGroupResponse) };
  }
}
