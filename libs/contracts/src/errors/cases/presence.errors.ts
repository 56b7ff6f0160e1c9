import { badRequest, type CataloguedError } from '../catalogued-error.js';

/** Presence. */
export const presenceErrors = {
  invalidPresenceStatus: badRequest('Invalid status: {status}'),
} as const satisfies Record<string, CataloguedError>;
