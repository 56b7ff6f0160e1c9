/** How presence ages, in seconds: the same in every process, and what clients have to go by. */
export interface PresenceTiming {
  /** How often a client reports. */
  readonly pingIntervalSeconds: number;
  /** After this without a report a reader counts a user as offline. */
  readonly offlineThresholdSeconds: number;
  /** A report within this of the stored value changes nothing. */
  readonly updateMinimumSeconds: number;
}

/** Between a report and its being seen, and between two clocks. */
const SLACK_SECONDS = 20;
/** A ping that comes a little early counts as one that is due. */
const EARLY_SECONDS = 5;

/** The shortest threshold at which nobody who is there is ever shown as offline. */
export const leastOfflineSeconds = (pingIntervalSeconds: number): number =>
  3 * pingIntervalSeconds + SLACK_SECONDS;

/**
 * The timing for a ping interval and an offline threshold, which is `leastOfflineSeconds` or more.
 *
 * A refresh is held back for as long as a reader who misses one ping of either side still sees the user online:
 * what is published every R seconds needs a threshold of R, two pings and some slack. A longer threshold so
 * makes fewer changes of the same number of people.
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

/** What clients assume that are told nothing else. */
export const defaultPresenceTiming = presenceTimingOf(60, 200);
