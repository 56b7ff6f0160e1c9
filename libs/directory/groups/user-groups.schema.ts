import { z } from 'zod';
import { members } from '#directory/roles';
import { ApiError } from '#platform/contracts';
import { endpoint, json, type ParametersOf } from '#platform/http';
import { userGroupErrors } from './user-groups.errors.js';

const common = { tag: 'user groups', access: members } as const;

/** The holders of a permission in answers. */
export const groupSettingValue = z.union([
  z.int().describe('The id of a group that has the permission.'),
  z.object({
    direct_members: z.array(z.int()).describe('The ids of active users.'),
    direct_subgroups: z.array(z.int()).describe('The ids of groups.'),
  }),
]);

const userGroup = z.object({
  id: z.int(),
  name: z.string().describe('The names of system groups begin with `role:`.'),
  description: z.string(),
  is_system_group: z.boolean().describe('Whether roles determine the members.'),
  members: z
    .array(z.int())
    .describe('The ids of the active users that are direct members, in ascending order.'),
  direct_subgroup_ids: z
    .array(z.int())
    .describe('The ids of the direct subgroups, in ascending order.'),
  creator_id: z.int().nullable().describe('Null for a system group.'),
  date_created: z.int().nullable().describe('UNIX seconds; null for a system group.'),
  deactivated: z.boolean(),
  can_add_members_group: groupSettingValue.describe('The permission to add members and subgroups.'),
  can_join_group: groupSettingValue.describe('The permission to join.'),
  can_leave_group: groupSettingValue.describe('The permission of members to leave.'),
  can_manage_group: groupSettingValue.describe('The permission to change the group.'),
  can_mention_group: groupSettingValue.describe('The permission to mention the group.'),
  can_remove_members_group: groupSettingValue.describe(
    'The permission to remove members and subgroups.',
  ),
});

export const listUserGroups = endpoint({
  ...common,
  method: 'GET',
  path: '/user_groups',
  summary: 'List all user groups',
  description:
    'Returns the groups of the organisation in the order of their ids, including the system groups.',
  parameters: {
    include_deactivated_groups: json(z.boolean().optional(), {
      description: 'Whether to include deactivated groups; false by default.',
    }),
    allow_deactivated: json(z.boolean().optional(), {
      description: 'The older name of `include_deactivated_groups`.',
      isDeprecated: true,
    }),
  },
  largestAnswerBytes: 25_000_000,
  takesAnswerSlot: true,
  returns: z.object({ user_groups: z.array(userGroup) }),
  errors: [userGroupErrors.confusingGroupParameters],
});

/** Whether deactivated groups are requested, by the current or the older name. Throws ApiError for both names. */
export function includesDeactivated({
  include_deactivated_groups: current,
  allow_deactivated: older,
}: ParametersOf<typeof listUserGroups>): boolean {
  if (current === undefined || older === undefined) return current ?? older ?? false;
  const names = ['include_deactivated_groups', 'allow_deactivated'] as const;
  throw new ApiError(
    userGroupErrors.confusingGroupParameters,
    { one: names[0], other: names[1] },
    { var_name1: names[0], var_name2: names[1] },
  );
}
