/** Apple takes a token for an hour; the rest is for clocks that disagree. */
const RENEWED_AFTER_MS = 50 * 60_000;
/** Apple refuses tokens that change more often. */
const PAUSE_MS = 20 * 60_000;
/** A token that should be replaced but may not be yet: how soon to ask again. */
const ASKED_AGAIN_MS = 5000;

/** Until when a token is used without asking for another; all times in UNIX milliseconds. */
export const askAgainAt = (issuedAt: number, now: number): number =>
  Math.max(issuedAt + RENEWED_AFTER_MS, now + ASKED_AGAIN_MS);

/** How long Redis is to keep a token, so that it has none when it is time for the next; at least 1. */
export const lifeInRedisMs = (issuedAt: number, now: number): number =>
  Math.max(1, issuedAt + RENEWED_AFTER_MS - now);

/** How long after a token no other may be made; at least 1. */
export const restOfPauseMs = (issuedAt: number, now: number): number =>
  Math.max(1, issuedAt + PAUSE_MS - now);

/** Whether a token may be made, after the last one. */
export const mayMint = (lastAt: number, now: number): boolean => now - lastAt >= PAUSE_MS;
