/** The topic in a certificate's subject. Node formats a subject with one attribute per line. */
export function topicNamedBy(subject: string): string | undefined {
  return /^UID=(.+)$/m.exec(subject)?.[1];
}

/** Whether a topic belongs to an app: its bundle id, also with a suffix for a push type, such as `.voip`. */
export function isTopicOfApp(topic: string, bundleId: string): boolean {
  return topic === bundleId || topic.startsWith(`${bundleId}.`);
}

/** The maximum age of a provider token. */
const MAX_AGE_MS = 60 * 60 * 1000;
/** A connection must not change its provider token more often. */
const MIN_USE_MS = 20 * 60 * 1000;

/** The provider token of a connection. */
export interface TokenInUse {
  readonly token: string;
  readonly sinceMs: number;
}

/** Whether a provider token is older than an hour; `issuedAt` is in UNIX seconds. */
export function isProviderTokenExpired(issuedAt: number, now: Date): boolean {
  return now.getTime() - issuedAt * 1000 > MAX_AGE_MS;
}

/**
 * The token of a connection after a valid token was received; 'too-many-updates' for a change within 20 minutes
 * after the last one.
 */
export function tokenInUseAfter(
  current: TokenInUse | undefined,
  token: string,
  now: Date,
): TokenInUse | 'too-many-updates' {
  if (current?.token === token) return current;
  if (current !== undefined && now.getTime() - current.sinceMs < MIN_USE_MS) {
    return 'too-many-updates';
  }
  return { token, sinceMs: now.getTime() };
}
