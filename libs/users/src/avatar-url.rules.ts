import { createHash } from 'node:crypto';

/** No account has a picture of its own here, so there is one version. */
export const AVATAR_VERSION = 1;

/** Where the picture of whoever has this address is: at Gravatar. */
export function avatarUrl(email: string): string {
  const digest = createHash('sha256').update(email.toLowerCase()).digest('hex');
  return `https://secure.gravatar.com/avatar/${digest}?d=identicon&version=${AVATAR_VERSION}`;
}
