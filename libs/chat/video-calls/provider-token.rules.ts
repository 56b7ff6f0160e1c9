import { z } from 'zod';

/** A token is refreshed this long before it expires. */
const REFRESH_AHEAD_MS = 60_000;

/** The token of an account at a provider. Times are in milliseconds. */
const providerToken = z.object({
  accessToken: z.string(),
  /** Null if the provider granted none. */
  refreshToken: z.string().nullable(),
  /** Null if the token does not expire. */
  expiresAt: z.number().nullable(),
  /** The id of the registration that created the token; it cannot be completed again. */
  registration: z.string(),
  /** Set while one request refreshes the token; other requests wait at most until this time. */
  refreshedUntil: z.number().nullable(),
});

export type ProviderToken = z.infer<typeof providerToken>;

/** The answer of a provider to a code or a refresh token. */
export interface Grant {
  readonly accessToken: string;
  /** Missing if the previous refresh token stays valid. */
  readonly refreshToken: string | undefined;
  /** Missing if the access token does not expire. */
  readonly expiresInSeconds: number | undefined;
}

/** The token of a grant at `now`; `last` provides the values that a refresh does not change. */
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

/** Whether the token can be used without a refresh. */
export const isFresh = ({ expiresAt }: ProviderToken, now: number): boolean =>
  expiresAt === null || expiresAt - REFRESH_AHEAD_MS > now;

/** Whether another request is refreshing the token. */
export const isBeingRefreshed = ({ refreshedUntil }: ProviderToken, now: number): boolean =>
  refreshedUntil !== null && refreshedUntil > now;

/** The account and the provider that a token belongs to. */
export interface TokenOwner {
  readonly userId: number;
  readonly provider: string;
}

const ownedToken = providerToken.extend({
  /** Missing in tokens of earlier releases. */
  owner: z.object({ userId: z.int(), provider: z.string() }).optional(),
});

/** A parsed token. */
export interface TokenReading {
  readonly token: ProviderToken;
  /** Whether the text contains the owner. */
  readonly isBound: boolean;
}

/**
 * Parses the token of an owner. Throws for an invalid text and for the token of another owner. Earlier releases write
 * no owner and ignore it when they read, so both releases can run during an upgrade.
 */
export function parseToken(text: string, { userId, provider }: TokenOwner): TokenReading {
  const { owner, ...token } = ownedToken.parse(JSON.parse(text));
  const isBound = owner !== undefined;
  if (isBound && (owner.userId !== userId || owner.provider !== provider)) {
    throw new Error('The token belongs to another owner');
  }
  return { token, isBound };
}

/** A token and its owner as text. */
export const tokenText = (token: ProviderToken, { userId, provider }: TokenOwner): string =>
  JSON.stringify({ ...token, owner: { userId, provider } });
