import { badRequest, type CataloguedError } from '../catalogued-error.js';

/** Accounts. */
export const userErrors = {
  noSuchUser: badRequest('No such user'),
} as const satisfies Record<string, CataloguedError>;
