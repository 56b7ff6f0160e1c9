import { badRequest, type CataloguedError } from '../catalogued-error.js';

/** Muted users. */
export const mutedUserErrors = {
  cannotMuteSelf: badRequest('Cannot mute self'),
  userAlreadyMuted: badRequest('User already muted'),
  userNotMuted: badRequest('User is not muted'),
} as const satisfies Record<string, CataloguedError>;
