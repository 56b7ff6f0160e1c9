import { type NewEvent, SIGNED_OUT } from '#events/log';

/** The event that ends the held polls of accounts whose sign-in is no longer valid. */
export const signedOut = (realmId: number, userIds: readonly number[]): NewEvent => ({
  realmId,
  type: SIGNED_OUT,
  body: {},
  audience: { userIds },
});
