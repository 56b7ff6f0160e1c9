import type { Requirement } from '#platform/contracts';
import { roleErrors } from './role.errors.js';
import { isAdministrator, isGuest } from './roles.js';

/** The access of endpoints for all accounts but guests. */
export const members: Requirement = {
  who: 'members',
  error: roleErrors.notAllowedForGuests,
  isMetBy: ({ role }) => !isGuest(role),
};

/** The access of endpoints for owners and administrators. */
export const administrators: Requirement = {
  who: 'administrators',
  error: roleErrors.mustBeAdministrator,
  isMetBy: ({ role }) => isAdministrator(role),
};
