/** No provider knows more than this about its own recovery. */
const LONGEST_ASKED_MS = 3_600_000;
const LONGEST_DELAY_MS = 300_000;

const SHORTEST_LOOK_MS = 20;
const LONGEST_LOOK_MS = 1000;

/** How long to wait after an attempt that may be repeated. */
export interface RetryHint {
  readonly firstDelayMs: number;
  /** What the provider asked for; never undercut. */
  readonly retryAfterMs: number | null;
}

/**
 * Milliseconds until the next attempt, after `attempts` of them: doubled each time from the first
 * delay up to five minutes, or what the provider asked for if that is longer. Up to half as much again
 * is added by chance, so that what failed together does not come back together.
 *
 * `chance` is a random number from 0 up to 1.
 */
export function retryDelayMs(attempts: number, hint: RetryHint, chance: number): number {
  const grown = Math.min(hint.firstDelayMs * 2 ** (attempts - 1), LONGEST_DELAY_MS);
  const asked = Math.min(hint.retryAfterMs ?? 0, LONGEST_ASKED_MS);
  // Rounded down: rounded up it would be more than half as much again.
  return Math.floor(Math.max(grown, asked) * (1 + chance / 2));
}

/**
 * Milliseconds until another look at a delivery that waits behind one that is being sent. Whoever sends that one
 * goes on with what is behind it, so this is for what came in the moment between: soon at first, and rarer the
 * longer it has waited.
 */
export const lookAgainDelayMs = (waitedMs: number): number =>
  Math.min(Math.max(waitedMs / 2, SHORTEST_LOOK_MS), LONGEST_LOOK_MS);
