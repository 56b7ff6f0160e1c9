import type { GatewayReport } from '#events/status';

/** The upper ends of the buckets of delays, in milliseconds; longer delays are in a last bucket. */
export const LAG_BUCKETS_MS = [20, 30, 50, 100, 250, 500, 1000, 2500, 5000];
/** The upper end of the last bucket: an answer waits no longer. */
const LONGEST_LAG_MS = 60_000;

/** The counts of a gateway since its start. */
export interface PollTotals {
  readonly polls: number;
  readonly delivered: number;
  readonly readFromLog: number;
  readonly overflowed: number;
  /** The answers by the bucket of their delay; one more than the buckets. */
  readonly lags: readonly number[];
}

/** The counts between two times. */
export function countsBetween(before: PollTotals, now: PollTotals): GatewayReport['lastMinute'] {
  const lags = now.lags.map((count, index) => count - (before.lags[index] ?? 0));
  const total = lags.reduce((sum, count) => sum + count, 0);
  return {
    polls: now.polls - before.polls,
    delivered: now.delivered - before.delivered,
    readFromLog: now.readFromLog - before.readFromLog,
    overflowed: now.overflowed - before.overflowed,
    lagMs:
      total === 0 ? null : { median: quantile(lags, total / 2), p99: quantile(lags, total * 0.99) },
  };
}

/** The upper end of the bucket with the answer of this rank. */
function quantile(lags: readonly number[], rank: number): number {
  let counted = 0;
  for (const [index, count] of lags.entries()) {
    counted += count;
    if (counted >= rank) return LAG_BUCKETS_MS[index] ?? LONGEST_LAG_MS;
  }
  return LONGEST_LAG_MS;
}
