/** DI token: how long the lease of a claimed delivery lasts, in milliseconds. */
export const LEASE_MS = Symbol('LeaseMs');

/** The lease exceeds the longest send by this, for the content before it and the record of the outcome after it. */
export const LEASE_SLACK_MS = 5000;

/** After this number of failed attempts a delivery no longer blocks later ones to the same device. */
export const MAX_BLOCKING_ATTEMPTS = 5;

/**
 * A delivery behind another one has its due time moved no more often than this: a burst for one device would
 * otherwise write each delivery once for every other. It must be less than the sweeper's grace period.
 */
export const MIN_POSTPONE_INTERVAL_MS = 1000;

/** A delivery, and the result of claiming it. */
export interface Claimed<Key, Claim> {
  readonly key: Key;
  readonly claim: Claim;
}
