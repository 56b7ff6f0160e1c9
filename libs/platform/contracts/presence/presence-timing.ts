/** The timing of presence in seconds, the same in every process and in clients. */
export interface PresenceTiming {
  /** The interval of reports. */
  readonly pingIntervalSeconds: number;
  /** A user without a report for this time is offline. */
  readonly offlineThresholdSeconds: number;
  /** A report this soon after the stored value changes nothing. */
  readonly updateMinimumSeconds: number;
}

/** For the delay of a report, and for differences of clocks. */
const SLACK_SECONDS = 20;
/** A ping may be early by this much. */
const EARLY_SECONDS = 5;

/** The shortest threshold that never shows a connected user as offline. */
export const leastOfflineSeconds = (pingIntervalSeconds: number): number =>
  3 * pingIntervalSeconds + SLACK_SECONDS;

/**
 * The timing for a ping interval and an offline threshold, which is `leastOfflineSeconds` or more.
 *
 * Refreshes are published as rarely as possible while a reader who misses one ping of either side still sees the user
 * online: an interval of R seconds needs a threshold of R, two pings and some slack. A longer threshold reduces the number
 * of changes.
 */
export const presenceTimingOf = (
  pingIntervalSeconds: number,
  offlineThresholdSeconds: number,
): PresenceTiming => ({
  pingIntervalSeconds,
  offlineThresholdSeconds,
  updateMinimumSeconds:
    offlineThresholdSeconds - 2 * pingIntervalSeconds - SLACK_SECONDS - EARLY_SECONDS,
});

/** The timing that clients assume by default. */
export const defaultPresenceTiming = presenceTimingOf(60, 200);
