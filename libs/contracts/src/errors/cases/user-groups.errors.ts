import { badRequest, type CataloguedError } from '../catalogued-error.js';

/** User groups. */
export const userGroupErrors = {
  invalidUserGroup: badRequest('Invalid user group'),
  invalidUserGroupId: badRequest('Invalid user group ID: {id}'),
  userGroupDeactivated: badRequest('User group is deactivated.'),
  noSubgroupChange: badRequest('Nothing to do. Specify at least one of "add" or "delete".'),
  alreadySubgroup: badRequest('User group {id} is already a subgroup of this group.'),
  subgroupCycle: badRequest(
    'User group {id} is already a subgroup of one of the passed subgroups.',
  ),
  notASubgroup: badRequest('User group {id} is not a subgroup of this group.'),
  confusingGroupParameters: {
    code: 'REQUEST_CONFUSING_VAR',
    status: 400,
    msg: "Can't decide between '{one}' and '{other}' arguments",
  },
} as const satisfies Record<string, CataloguedError>;
