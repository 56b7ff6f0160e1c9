/** The settings of the timing, in seconds; clients learn them. */
export interface PresenceIntervals {
  /** The interval of reports. */
  readonly pingIntervalSeconds: number;
  /** A user without a report for this time is offline. It is at least three pings and `SLACK_SECONDS`. */
  readonly offlineThresholdSeconds: number;
}

/** The timing of presence in seconds, the same in every process and in clients. */
export interface PresenceTiming extends PresenceIntervals {
  /** A report this soon after the stored value changes nothing. */
  readonly updateMinimumSeconds: number;
}

/** For the delay of a report, and for differences of clocks. */
const SLACK_SECONDS = 20;
/** A ping may be early by this much. */
const EARLY_SECONDS = 5;

/**
 * The timing for a ping interval and an offline threshold.
 *
 * Refreshes are published as rarely as possible while a reader who misses one ping of either side still sees the user
 * online: an interval of R seconds needs a threshold of R, two pings and some slack. A longer threshold reduces the number
 * of changes.
 */
export const presenceTimingOf = ({
  pingIntervalSeconds,
  offlineThresholdSeconds,
}: PresenceIntervals): PresenceTiming => ({
  pingIntervalSeconds,
  offlineThresholdSeconds,
  updateMinimumSeconds:
    offlineThresholdSeconds - 2 * pingIntervalSeconds - SLACK_SECONDS - EARLY_SECONDS,
});

/** The timing that clients assume by default. */
export const defaultPresenceTiming = presenceTimingOf({
  pingIntervalSeconds: 60,
  offlineThresholdSeconds: 200,
});
