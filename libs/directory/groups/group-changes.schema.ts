import { z } from 'zod';
import { members, roleErrors } from '#directory/roles';
import { limitErrors, withoutHiding } from '#platform/contracts';
import { endpoint, identifier, json, limitedText, text } from '#platform/http';
import { groupSettingParameter } from './group-setting.rules.js';
import { userGroupErrors } from './user-groups.errors.js';

const MAX_MEMBERS = 10_000;
const MAX_SUBGROUPS = 10_000;
const LONGEST_DESCRIPTION = 1024;
const description = limitedText(LONGEST_DESCRIPTION).transform(withoutHiding);

/** Above the limit of a name, which is checked after white space is trimmed. */
const LONGEST_SENT = 1000;

const common = { tag: 'user groups', access: members } as const;
const nothing = z.object({});

const groupId = identifier('The id of the group.');
const userIds = z.array(z.int()).max(MAX_MEMBERS);
const groupIds = z.array(z.int()).max(MAX_SUBGROUPS);
const nameNotes = {
  description: 'At most 100 characters; not blank, and without a prefix such as `@` or `role:`.',
};
const descriptionNotes = { description: 'Markdown.' };

const newHolders = (permission: string) =>
  json(groupSettingParameter.optional(), {
    description: `The holders of the permission to ${permission}: the id of a group, or lists of accounts and groups.`,
  });

const otherHolders = (permission: string) =>
  json(z.object({ new: groupSettingParameter, old: groupSettingParameter.optional() }).optional(), {
    description: `The holders of the permission to ${permission}: \`new\`, and optionally the expected \`old\` ones.`,
  });

const settingErrors = [
  userGroupErrors.invalidUserId,
  userGroupErrors.invalidUserGroupId,
  userGroupErrors.userGroupDeactivated,
  userGroupErrors.groupSettingForbidden,
];

const nameErrors = [
  userGroupErrors.groupNameEmpty,
  userGroupErrors.groupNameTooLong,
  userGroupErrors.groupNameInvalid,
  userGroupErrors.groupNameReserved,
  userGroupErrors.groupNameOfServer,
  userGroupErrors.groupNameTaken,
];

const directOnly = (what: string) =>
  json(z.boolean().default(false), { description: `Whether to leave out the ${what}.` });

export const createUserGroup = endpoint({
  ...common,
  method: 'POST',
  path: '/user_groups/create',
  summary: 'Create a user group',
  description:
    'Creates a group. By default only its creator may manage it and add members, everyone may mention it, and members may leave it.',
  parameters: {
    name: text(limitedText(LONGEST_SENT), nameNotes),
    description: text(description, descriptionNotes),
    members: json(userIds, { description: 'The ids of the members, at most 10000.' }),
    subgroups: json(groupIds.default([]), { description: 'The ids of groups, at most 10000.' }),
    can_add_members_group: newHolders('add members and subgroups'),
    can_join_group: newHolders('join'),
    can_leave_group: newHolders('leave'),
    can_manage_group: newHolders('change the group'),
    can_mention_group: newHolders('mention the group'),
    can_remove_members_group: newHolders('remove members and subgroups'),
  },
  returns: z.object({ group_id: z.int() }),
  errors: [...nameErrors, ...settingErrors, limitErrors.organizationLimitReached],
});

export const updateUserGroup = endpoint({
  ...common,
  method: 'PATCH',
  path: '/user_groups/{user_group_id}',
  summary: 'Change a user group',
  description:
    'Changes the given values of a group, all or none. Requires the permission to manage the group or all groups. Of a deactivated group only the name can change.',
  parameters: {
    user_group_id: groupId,
    name: text(limitedText(LONGEST_SENT).optional(), nameNotes),
    description: text(description.optional(), descriptionNotes),
    deactivated: json(z.literal(false).optional(), {
      description: '`false` reactivates a deactivated group.',
    }),
    can_add_members_group: otherHolders('add members and subgroups'),
    can_join_group: otherHolders('join'),
    can_leave_group: otherHolders('leave'),
    can_manage_group: otherHolders('change the group'),
    can_mention_group: otherHolders('mention the group'),
    can_remove_members_group: otherHolders('remove members and subgroups'),
  },
  returns: nothing,
  errors: [
    userGroupErrors.noNewGroupData,
    userGroupErrors.invalidUserGroup,
    roleErrors.insufficientPermission,
    userGroupErrors.groupSettingMismatch,
    ...nameErrors,
    ...settingErrors,
  ],
});

export const deactivateUserGroup = endpoint({
  ...common,
  method: 'POST',
  path: '/user_groups/{user_group_id}/deactivate',
  summary: 'Deactivate a user group',
  description:
    'Deactivates a group that no other group contains and that holds no permission. Requires the permission to manage the group or all groups.',
  parameters: { user_group_id: groupId },
  returns: nothing,
  errors: [
    userGroupErrors.invalidUserGroup,
    roleErrors.insufficientPermission,
    userGroupErrors.alreadyDeactivated,
    userGroupErrors.groupInUse,
  ],
});

export const changeGroupMembers = endpoint({
  ...common,
  method: 'POST',
  path: '/user_groups/{user_group_id}/members',
  summary: 'Change the members of a user group',
  description:
    'Adds members and subgroups to a group and then removes others, all or nothing. Requires the permission to manage the group or all groups, or to add or remove members; for the caller alone, to join or to leave.',
  parameters: {
    user_group_id: groupId,
    add: json(userIds.default([]), { description: 'The ids of the accounts to add.' }),
    delete: json(userIds.default([]), { description: 'The ids of the accounts to remove.' }),
    add_subgroups: json(groupIds.default([]), { description: 'The ids of the groups to add.' }),
    delete_subgroups: json(groupIds.default([]), {
      description: 'The ids of the groups to remove.',
    }),
  },
  returns: nothing,
  errors: [
    userGroupErrors.noSubgroupChange,
    userGroupErrors.invalidUserGroup,
    roleErrors.insufficientPermission,
    userGroupErrors.invalidUserId,
    userGroupErrors.alreadyMember,
    userGroupErrors.notAMember,
    userGroupErrors.invalidUserGroupId,
    userGroupErrors.userGroupDeactivated,
    userGroupErrors.alreadySubgroup,
    userGroupErrors.subgroupCycle,
    userGroupErrors.notASubgroup,
  ],
});

export const changeSubgroups = endpoint({
  ...common,
  method: 'POST',
  path: '/user_groups/{user_group_id}/subgroups',
  summary: 'Change the subgroups of a user group',
  description:
    'Adds subgroups to a group and then removes others, all or nothing. Requires the permission to manage the group or all groups, or the permission to add or remove members.',
  parameters: {
    user_group_id: identifier('The id of the group whose subgroups change.'),
    add: json(groupIds.default([]), {
      description: 'The ids of the groups to add, at most 10000.',
    }),
    delete: json(groupIds.default([]), {
      description: 'The ids of the groups to remove, at most 10000.',
    }),
  },
  returns: nothing,
  errors: [
    userGroupErrors.noSubgroupChange,
    userGroupErrors.invalidUserGroup,
    roleErrors.insufficientPermission,
    userGroupErrors.invalidUserGroupId,
    userGroupErrors.userGroupDeactivated,
    userGroupErrors.alreadySubgroup,
    userGroupErrors.subgroupCycle,
    userGroupErrors.notASubgroup,
  ],
});

export const listGroupMembers = endpoint({
  ...common,
  method: 'GET',
  path: '/user_groups/{user_group_id}/members',
  summary: 'List the members of a user group',
  description: 'Returns the ids of the active members in ascending order.',
  parameters: {
    user_group_id: groupId,
    direct_member_only: directOnly('members of subgroups'),
  },
  returns: z.object({ members: z.array(z.int()) }),
  errors: [userGroupErrors.invalidUserGroup],
});

export const getGroupMember = endpoint({
  ...common,
  method: 'GET',
  path: '/user_groups/{user_group_id}/members/{user_id}',
  summary: 'Return whether an account is a member of a user group',
  description: 'A deactivated account is not a member.',
  parameters: {
    user_group_id: groupId,
    user_id: identifier('The id of the account.'),
    direct_member_only: directOnly('members of subgroups'),
  },
  returns: z.object({ is_user_group_member: z.boolean() }),
  errors: [userGroupErrors.invalidUserGroup, userGroupErrors.noSuchMember],
});

export const listSubgroups = endpoint({
  ...common,
  method: 'GET',
  path: '/user_groups/{user_group_id}/subgroups',
  summary: 'List the subgroups of a user group',
  description: 'Returns the ids of the subgroups in ascending order.',
  parameters: {
    user_group_id: groupId,
    direct_subgroup_only: directOnly('subgroups of subgroups'),
  },
  returns: z.object({ subgroups: z.array(z.int()) }),
  errors: [userGroupErrors.invalidUserGroup],
});
