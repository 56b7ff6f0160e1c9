import { badRequest, type CataloguedError } from '../catalogued-error.js';

/** Roles. */
export const roleErrors = {
  mustBeAdministrator: {
    code: 'UNAUTHORIZED_PRINCIPAL',
    status: 400,
    msg: 'Must be an organization administrator',
  },
  notAllowedForGuests: badRequest('Not allowed for guest users'),
} as const satisfies Record<string, CataloguedError>;
