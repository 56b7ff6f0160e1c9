/** The intervals of the sweeper. */
export interface SweepTiming {
  /** Between two passes. */
  readonly everyMs: number;
  /** The job of a delivery that is overdue for longer is added again, unless the queue is behind. */
  readonly gracePeriodMs: number;
}

/** DI token of the SweepTiming. */
export const SWEEP_TIMING = Symbol('SweepTiming');
