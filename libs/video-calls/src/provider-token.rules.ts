import { z } from 'zod';

/** A token this near to its end is not relied on any more. */
const EARLY_MS = 60_000;

/** What a provider gave an account out, and what is kept beside it. Times are milliseconds. */
const providerToken = z.object({
  accessToken: z.string(),
  /** Null where the provider gave none. */
  refreshToken: z.string().nullable(),
  /** Null where it does not end. */
  expiresAt: z.number().nullable(),
  /** The registration that it came of, which cannot be completed again. */
  registration: z.string(),
  /** Set while one request refreshes it: the others wait until then at the longest. */
  refreshedUntil: z.number().nullable(),
});

export type ProviderToken = z.infer<typeof providerToken>;

/** What a provider grants in exchange for a code or a refresh token. */
export interface Grant {
  readonly accessToken: string;
  /** Left out where the last one stays good. */
  readonly refreshToken: string | undefined;
  /** Left out where the access token does not end. */
  readonly expiresInSeconds: number | undefined;
}

/** The token of a grant that came at `now`; of a refresh, the `last` one's rest holds on. */
export const tokenOf = (
  grant: Grant,
  last: Pick<ProviderToken, 'refreshToken' | 'registration'>,
  now: number,
): ProviderToken => ({
  accessToken: grant.accessToken,
  refreshToken: grant.refreshToken ?? last.refreshToken,
  expiresAt: grant.expiresInSeconds === undefined ? null : now + grant.expiresInSeconds * 1000,
  registration: last.registration,
  refreshedUntil: null,
});

/** Whether it can be used without a refresh. */
export const isFresh = ({ expiresAt }: ProviderToken, now: number): boolean =>
  expiresAt === null || expiresAt - EARLY_MS > now;

/** Whether another request is refreshing it. */
export const isBeingRefreshed = ({ refreshedUntil }: ProviderToken, now: number): boolean =>
  refreshedUntil !== null && refreshedUntil > now;

/** The account and the provider that a token belongs to. */
export interface TokenOwner {
  readonly userId: number;
  readonly provider: string;
}

const ownedToken = providerToken.extend({
  /** Left out by releases that did not bind tokens to their owners. */
  owner: z.object({ userId: z.int(), provider: z.string() }).optional(),
});

/** A token as it was read, and whether the text names its owner. */
export interface ReadToken {
  readonly token: ProviderToken;
  readonly isBound: boolean;
}

/**
 * Reads a token of an owner. Throws when the text is no token, and when it is that of another owner. A text without an
 * owner is of an earlier release, which ignores the owner in turn: the two run beside each other during an upgrade.
 */
export function parseToken(text: string, { userId, provider }: TokenOwner): ReadToken {
  const { owner, ...token } = ownedToken.parse(JSON.parse(text));
  const isBound = owner !== undefined;
  if (isBound && (owner.userId !== userId || owner.provider !== provider)) {
    throw new Error('The token is that of another owner');
  }
  return { token, isBound };
}

/** A token as text, which names its owner. */
export const tokenText = (token: ProviderToken, { userId, provider }: TokenOwner): string =>
  JSON.stringify({ ...token, owner: { userId, provider } });
