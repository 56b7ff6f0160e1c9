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

/** A token as text; throws when the text is none. */
export const parseToken = (text: string): ProviderToken => providerToken.parse(JSON.parse(text));

export const tokenText = (token: ProviderToken): string => JSON.stringify(token);
