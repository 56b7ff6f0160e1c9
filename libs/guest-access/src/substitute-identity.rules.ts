/** The name and the address of an account, as other users see them. */
export interface Identity {
  readonly email: string;
  readonly fullName: string;
}

/**
 * The identity that a guest gets in place of a user whom the guest may not see. `host` is the host name of the
 * organisation, without a port. The user id is no secret: it stays in every answer.
 */
export const substituteIdentity = (userId: number, host: string): Identity => ({
  email: `user${userId}@${host}`,
  fullName: 'Unknown user',
});
