import { badRequest, defineErrors } from '#platform/contracts';

/** User groups. */
export const userGroupErrors = defineErrors({
  invalidUserGroup: badRequest('Invalid user group', 'The organisation has no group with this id.'),
  invalidUserGroupId: badRequest(
    'Invalid user group ID: {id}',
    'A group to add or remove does not exist in the organisation.',
  ),
  invalidHolder: badRequest(
    'Invalid user ID: {id}',
    'An account that is to get a permission does not exist in the organisation, or is deactivated.',
  ),
  userGroupDeactivated: badRequest('User group is deactivated.', 'A group to add is deactivated.'),
  noSubgroupChange: badRequest(
    'Nothing to do. Specify at least one of "add" or "delete".',
    'Both lists are empty.',
  ),
  alreadySubgroup: badRequest(
    'User group {id} is already a subgroup of this group.',
    'A group to add is already a direct subgroup.',
  ),
  subgroupCycle: badRequest(
    'User group {id} is already a subgroup of one of the passed subgroups.',
    'The change would make a group its own subgroup, directly or indirectly.',
  ),
  notASubgroup: badRequest(
    'User group {id} is not a subgroup of this group.',
    'A group to remove is not a direct subgroup.',
  ),
  invalidUserId: badRequest(
    'Invalid user ID: {id}',
    'The organisation has no active account with this id.',
  ),
  alreadyMember: badRequest(
    'User {id} is already a member of this group',
    'An account to add is already a direct member.',
  ),
  notAMember: badRequest(
    "There is no member '{id}' in this user group",
    'An account to remove is not a direct member.',
  ),
  noSuchMember: badRequest('No such user', 'The organisation has no such account.'),
  noNewGroupData: badRequest('No new data supplied', 'A request to change a group has no value.'),
  groupNameEmpty: badRequest("User group name can't be empty!", 'The name of a group is blank.'),
  groupNameTooLong: badRequest(
    'User group name cannot exceed 100 characters.',
    'The name of a group is too long.',
  ),
  groupNameInvalid: badRequest(
    'Invalid character in user group name, at position {position}.',
    'The name of a group has a character that cannot be shown; the first one has the position 1.',
  ),
  groupNameReserved: badRequest(
    "User group name cannot start with '{prefix}'.",
    'The name of a group begins like a mention or like a system group.',
  ),
  groupNameOfServer: badRequest(
    'This user group name is reserved.',
    'The name of a group is that of a bot of the server or of a wildcard mention, such as `everyone`.',
  ),
  groupNameTaken: badRequest(
    "User group '{name}' already exists.",
    'Another group of the organisation, active or deactivated, has the name, or one that differs only in case, spaces or invisible characters.',
  ),
  groupSettingForbidden: badRequest(
    "'{setting}' setting cannot be set to '{name}' group.",
    'The system group cannot have the permission.',
  ),
  alreadyDeactivated: badRequest(
    'User group is already deactivated.',
    'The group to deactivate is deactivated.',
  ),

  groupInUse: {
    code: 'CANNOT_DEACTIVATE_GROUP_IN_USE',
    status: 400,
    msg: 'Cannot deactivate user group in use.',
    when: 'Another group contains the group, or it holds a permission; `objections` lists the uses.',
  },
  groupSettingMismatch: {
    code: 'EXPECTATION_MISMATCH',
    status: 400,
    msg: "'old' value does not match the expected value.",
    when: 'A permission has other holders than the request expects.',
  },
  confusingGroupParameters: {
    code: 'REQUEST_CONFUSING_VAR',
    status: 400,
    msg: "Can't decide between '{one}' and '{other}' arguments",
    when: 'The request contains both names of a parameter; `var_name1` and `var_name2` hold them.',
  },
});
