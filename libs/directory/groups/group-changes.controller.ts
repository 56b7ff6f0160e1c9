import { Controller } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import {
  changeGroupMembers,
  changeSubgroups,
  createUserGroup,
  deactivateUserGroup,
  getGroupMember,
  listGroupMembers,
  listSubgroups,
  updateUserGroup,
} from './group-changes.schema.js';
import { GroupReadingService } from './group-reading.service.js';
import { MembershipChangesService } from './membership-changes.service.js';
import { NewUserGroupService } from './new-user-group.service.js';
import { UserGroupChangesService } from './user-group-changes.service.js';
import type { UserGroupPermission } from './user-group-permissions.js';
import { permissionFields } from './user-groups.response.js';

@Controller()
export class GroupChangesController {
  constructor(
    private readonly newGroups: NewUserGroupService,
    private readonly changes: UserGroupChangesService,
    private readonly memberships: MembershipChangesService,
    private readonly reading: GroupReadingService,
  ) {}

  @Endpoint(createUserGroup)
  async create(
    @SignedIn() caller: Caller,
    @Parameters()
    { name, description, members, subgroups, ...fields }: ParametersOf<typeof createUserGroup>,
  ) {
    const settings = settingsIn(fields);
    const group = { name, description, memberIds: members, subgroupIds: subgroups, settings };
    return { group_id: await this.newGroups.create(caller, group) };
  }

  @Endpoint(updateUserGroup)
  async update(
    @SignedIn() caller: Caller,
    @Parameters()
    {
      user_group_id,
      name,
      description,
      deactivated,
      ...fields
    }: ParametersOf<typeof updateUserGroup>,
  ) {
    const isReactivated = deactivated === false;
    const change = { name, description, settings: settingsIn(fields), isReactivated };
    await this.changes.update(caller, user_group_id, change);
  }

  @Endpoint(deactivateUserGroup)
  async deactivate(
    @SignedIn() caller: Caller,
    @Parameters() { user_group_id }: ParametersOf<typeof deactivateUserGroup>,
  ) {
    await this.changes.deactivate(caller, user_group_id);
  }

  @Endpoint(changeGroupMembers)
  async changeMembers(
    @SignedIn() caller: Caller,
    @Parameters() parameters: ParametersOf<typeof changeGroupMembers>,
  ) {
    const members = { add: parameters.add, remove: parameters.delete };
    const subgroups = { add: parameters.add_subgroups, remove: parameters.delete_subgroups };
    await this.memberships.change(caller, parameters.user_group_id, members, subgroups);
  }

  @Endpoint(changeSubgroups)
  async changeSubgroups(
    @SignedIn() caller: Caller,
    @Parameters()
    { user_group_id, add, delete: remove }: ParametersOf<typeof changeSubgroups>,
  ) {
    const noMembers = { add: [], remove: [] };
    await this.memberships.change(caller, user_group_id, noMembers, { add, remove });
  }

  @Endpoint(listGroupMembers)
  async listMembers(
    @SignedIn() caller: Caller,
    @Parameters()
    { user_group_id, direct_member_only }: ParametersOf<typeof listGroupMembers>,
  ) {
    const extent = { isDirectOnly: direct_member_only };
    return { members: await this.reading.membersOf(caller, [user_group_id], extent) };
  }

  @Endpoint(getGroupMember)
  async isMember(
    @SignedIn() caller: Caller,
    @Parameters()
    { user_group_id, user_id, direct_member_only }: ParametersOf<typeof getGroupMember>,
  ) {
    const extent = { isDirectOnly: direct_member_only };
    const isMember = await this.reading.isMember(caller, user_group_id, user_id, extent);
    return { is_user_group_member: isMember };
  }

  @Endpoint(listSubgroups)
  async subgroups(
    @SignedIn() caller: Caller,
    @Parameters() { user_group_id, direct_subgroup_only }: ParametersOf<typeof listSubgroups>,
  ) {
    const extent = { isDirectOnly: direct_subgroup_only };
    const subgroups = await this.reading.subgroupsOf(caller, user_group_id, extent);
    return { subgroups };
  }
}

/** The given permissions by their columns. */
const settingsIn = <Value>(
  fields: Readonly<Record<(typeof permissionFields)[UserGroupPermission], Value | undefined>>,
): Partial<Record<UserGroupPermission, Value>> =>
  // Object.entries loses the type of the keys, and fromEntries too.
  Object.fromEntries(
    Object.entries(permissionFields).flatMap(([permission, field]) =>
      fields[field] === undefined ? [] : [[permission, fields[field]]],
    ),
  ) as Partial<Record<UserGroupPermission, Value>>;
