import { z } from 'zod';
import { ApiError } from '#contracts';
import { endpoint, identifier, json, type ParametersOf } from '#edge';
import { groupSettingValue } from './group-setting.schema.js';

/** Far more groups than an organisation has. */
const MOST_SUBGROUPS = 10_000;

const common = { tag: 'user groups', access: 'member' } as const;

const userGroup = z.object({
  id: z.int(),
  name: z.string().describe('That of a system group begins with `role:`.'),
  description: z.string(),
  is_system_group: z.boolean().describe('Whether roles decide who is in the group.'),
  members: z
    .array(z.int())
    .describe('The ids of the active users that are in the group themselves, in ascending order.'),
  direct_subgroup_ids: z
    .array(z.int())
    .describe('The ids of the groups that are in the group themselves, in ascending order.'),
  creator_id: z.int().nullable().describe('Null for a system group.'),
  date_created: z.int().nullable().describe('UNIX seconds; null for a system group.'),
  deactivated: z.boolean(),
  can_add_members_group: groupSettingValue.describe('Who may add people and groups.'),
  can_join_group: groupSettingValue.describe('Who may join.'),
  can_leave_group: groupSettingValue.describe('Who of the group may leave it.'),
  can_manage_group: groupSettingValue.describe('Who may change the group in every way.'),
  can_mention_group: groupSettingValue.describe('Who may call all of the group by its name.'),
  can_remove_members_group: groupSettingValue.describe('Who may remove people and groups.'),
});

export const listUserGroups = endpoint({
  ...common,
  method: 'GET',
  path: '/user_groups',
  summary: 'List all user groups',
  description:
    'Answers with all groups of the organisation, the system groups included, in the order of their ids.',
  parameters: {
    include_deactivated_groups: json(z.boolean().optional(), {
      description: 'Whether to list deactivated groups too; false if left out.',
    }),
    allow_deactivated: json(z.boolean().optional(), {
      description: 'The older name of `include_deactivated_groups`.',
      isDeprecated: true,
    }),
  },
  returns: z.object({ user_groups: z.array(userGroup) }),
  errors: ['confusingGroupParameters'],
});

/** Whether deactivated groups are wanted, by either name. Throws ApiError when both were sent. */
export function wantsDeactivated({
  include_deactivated_groups: current,
  allow_deactivated: older,
}: ParametersOf<typeof listUserGroups>): boolean {
  if (current === undefined || older === undefined) return current ?? older ?? false;
  const names = ['include_deactivated_groups', 'allow_deactivated'] as const;
  throw new ApiError(
    'confusingGroupParameters',
    { one: names[0], other: names[1] },
    { var_name1: names[0], var_name2: names[1] },
  );
}

const groupIds = z.array(z.int32()).max(MOST_SUBGROUPS).default([]);

export const changeSubgroups = endpoint({
  ...common,
  method: 'POST',
  path: '/user_groups/{user_group_id}/subgroups',
  summary: 'Change the subgroups of a user group',
  description:
    'Adds groups to a group and then removes others from it, all or nothing. Needs the permission to manage the group or all groups, or that to add or to remove members.',
  parameters: {
    user_group_id: identifier('The group that the others are, or are to be, in.'),
    add: json(groupIds, { description: 'The ids of the groups to add, 10000 at the most.' }),
    delete: json(groupIds, { description: 'The ids of the groups to remove, 10000 at the most.' }),
  },
  returns: z.object({}),
  errors: [
    'noSubgroupChange',
    'invalidUserGroup',
    'insufficientPermission',
    'invalidUserGroupId',
    'userGroupDeactivated',
    'alreadySubgroup',
    'subgroupCycle',
    'notASubgroup',
  ],
});
