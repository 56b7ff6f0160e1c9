import { badRequest, type CataloguedError } from '../catalogued-error.js';

const unauthorizedPrincipal = (msg: string) =>
  ({ code: 'UNAUTHORIZED_PRINCIPAL', status: 400, msg }) as const;

/** Roles. */
export const roleErrors = {
  mustBeAdministrator: unauthorizedPrincipal('Must be an organization administrator'),
  mustBeOwner: unauthorizedPrincipal('Must be an organization owner'),
  notAllowedForGuests: badRequest('Not allowed for guest users'),
  insufficientPermission: badRequest('Insufficient permission'),
} as const satisfies Record<string, CataloguedError>;
