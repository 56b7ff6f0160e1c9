/**
 * The identity that answers to a guest contain for a user that the guest cannot see. `host` is the host name of the
 * organisation, without a port. The user id is not secret: every answer contains it.
 */
export const substituteIdentity = (
  userId: number,
  host: string,
): { readonly email: string; readonly fullName: string } => ({
  email: `user${userId}@${host}`,
  fullName: 'Unknown user',
});

/** The id of the user in a substitute address (case-insensitive); null for any other address. */
export function substitutedUserId(email: string, host: string): number | null {
  const userId = /^user(\d{1,10})@/i.exec(email)?.[1];
  if (userId === undefined) return null;
  const { email: substitute } = substituteIdentity(Number(userId), host);
  return substitute.toLowerCase() === email.toLowerCase() ? Number(userId) : null;
}
