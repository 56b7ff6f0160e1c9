import type { PresenceReport, PresenceTimes } from './merge.rules.js';

/**
 * A reported time may be this far ahead of the clock that it is compared with; a later one is reduced to that. It
 * keeps the order of what gateways with ordinary clocks report, and bounds what a wrong clock can do.
 */
export const CLOCK_TOLERANCE_SECONDS = 5;

/** The latest time that is accepted at a moment, in UNIX seconds. */
export const latestAcceptedAt = (nowSeconds: number): number =>
  Math.floor(nowSeconds) + CLOCK_TOLERANCE_SECONDS;

/** Whether a state has a time that no report of an ordinary clock can have set. */
export const isAheadOf = ({ activeAt, idleAt, hiddenAt }: PresenceTimes, latest: number): boolean =>
  activeAt > latest || idleAt > latest || hiddenAt > latest;

/** The same times, with later ones reduced to `latest`. */
export const timesUpTo = <Times extends PresenceTimes>(times: Times, latest: number): Times =>
  isAheadOf(times, latest)
    ? {
        ...times,
        activeAt: Math.min(times.activeAt, latest),
        idleAt: Math.min(times.idleAt, latest),
        hiddenAt: Math.min(times.hiddenAt, latest),
      }
    : times;

/** The same report, with later times reduced to `latest`. */
export const reportUpTo = (report: PresenceReport, latest: number): PresenceReport =>
  report.activeAt > latest || report.idleAt > latest
    ? {
        ...report,
        activeAt: Math.min(report.activeAt, latest),
        idleAt: Math.min(report.idleAt, latest),
      }
    : report;
