/** How old a provider token may be. */
const longestAgeMs = 60 * 60 * 1000;
/** How long a connection holds on to a provider token before it takes another. */
const leastUseMs = 20 * 60 * 1000;

/** The provider token that a connection works with. */
export interface TokenInUse {
  readonly token: string;
  readonly sinceMs: number;
}

/** Whether a provider token is older than the hour that Apple grants. `issuedAt` in UNIX seconds. */
export function isProviderTokenExpired(issuedAt: number, now: Date): boolean {
  return now.getTime() - issuedAt * 1000 > longestAgeMs;
}

/**
 * What a connection works with after a valid token came in; 'too-many-updates' when it changes
 * sooner than 20 minutes after the last change.
 */
export function tokenInUseAfter(
  current: TokenInUse | undefined,
  token: string,
  now: Date,
): TokenInUse | 'too-many-updates' {
  if (current?.token === token) return current;
  if (current !== undefined && now.getTime() - current.sinceMs < leastUseMs) {
    return 'too-many-updates';
  }
  return { token, sinceMs: now.getTime() };
}
