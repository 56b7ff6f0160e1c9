import { badRequest, defineErrors } from '#platform/contracts';

const unauthorizedPrincipal = (msg: string, when: string) =>
  ({ code: 'UNAUTHORIZED_PRINCIPAL', status: 400, msg, when }) as const;

/** Errors of roles. */
export const roleErrors = defineErrors({
  mustBeAdministrator: unauthorizedPrincipal(
    'Must be an organization administrator',
    'The endpoint is for owners and administrators.',
  ),
  mustBeOwner: unauthorizedPrincipal(
    'Must be an organization owner',
    'Only an owner may change an owner.',
  ),
  notAllowedForGuests: badRequest('Not allowed for guest users', 'The endpoint is for members.'),
  insufficientPermission: badRequest(
    'Insufficient permission',
    'The role of the caller does not permit this change of the account, group, channel or file; or a guest cannot see the presence of the account.',
  ),
});
