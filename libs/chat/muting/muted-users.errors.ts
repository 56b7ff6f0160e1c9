import { badRequest, defineErrors } from '#platform/contracts';

/** Muted users. */
export const mutedUserErrors = defineErrors({
  cannotMuteSelf: badRequest('Cannot mute self', 'The caller tries to mute their own account.'),
  userAlreadyMuted: badRequest('User already muted', 'The caller has already muted the account.'),
  userNotMuted: badRequest('User is not muted', 'The caller has not muted the account.'),
});
