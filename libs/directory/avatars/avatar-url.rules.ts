/** Constant, because accounts cannot upload pictures. */
export const AVATAR_VERSION = 1;

/** The address of the picture of an account, from the address of the organisation. */
export const avatarUrl = (userId: number): string => `/avatar/${userId}?version=${AVATAR_VERSION}`;

/** The same for a larger picture. */
export const mediumAvatarUrl = (userId: number): string =>
  `/avatar/${userId}/medium?version=${AVATAR_VERSION}`;
