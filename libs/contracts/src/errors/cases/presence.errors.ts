import { badRequest, type CataloguedError } from '../catalogued-error.js';

/** Presence. */
export const presenceErrors = {
  invalidPresenceStatus: badRequest('Invalid status: {status}'),
  noPresenceOfBots: badRequest('Presence is not supported for bot users.'),
  noPresenceData: badRequest('No presence data for {user}'),
} as const satisfies Record<string, CataloguedError>;
