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
  confusingGroupParameters: {
    code: 'REQUEST_CONFUSING_VAR',
    status: 400,
    msg: "Can't decide between '{one}' and '{other}' arguments",
    when: 'The request contains both names of a parameter; `var_name1` and `var_name2` hold them.',
  },
});
