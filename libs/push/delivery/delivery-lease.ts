/** DI token: how long the lease of a claimed delivery lasts, in milliseconds. */
export const LEASE_MS = Symbol('LeaseMs');

/** The lease exceeds the longest send by this, for the content before it and the record of the outcome after it. */
export const LEASE_SLACK_MS = 5000;

/**
 * A delivery behind another one has its due time moved no more often than this: a burst for one device would
 * otherwise write each delivery once for every other. It must be less than the sweep's grace period.
 */
export const MIN_POSTPONE_INTERVAL_MS = 1000;

/** A second, if the delay is half of the time. */
const MAX_BEHIND_PAGE_MS = 2000;

/**
 * How long a delivery counts as having waited for an earlier page, or a page for that. No job goes on with it when the page is closed:
 * it has to be claimed again soon. There is one for each device at most: the later ones wait for that.
 */
export const behindPageForMs = (waitedMs: number): number => Math.min(waitedMs, MAX_BEHIND_PAGE_MS);

/**
 * The seconds until a time of the clock of this process, for PostgreSQL to add to its own time: it compares due times with its
 * clock. A second less, since the job of a retry must not arrive before its delivery is due. Null for null.
 */
export const secondsUntilDue = (dueAt: Date | null, now: number): number | null =>
  dueAt === null ? null : (dueAt.getTime() - now) / 1000 - 1;

/** A delivery, and the result of claiming it. */
export interface Claimed<Key, Claim> {
  readonly key: Key;
  readonly claim: Claim;
}
