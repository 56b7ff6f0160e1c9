/** The time now, in milliseconds since the epoch. Rules take it as an argument; tests pass their own. */
export type Clock = () => number;

/** Two clocks with a smaller difference count as equal. */
const CLOCK_TOLERANCE_MS = 5000;

/** Whether the difference between two clocks can be tolerated. */
export const isWithinClockTolerance = (offsetMs: number): boolean =>
  Math.abs(offsetMs) < CLOCK_TOLERANCE_MS;

/** The clock of the system. A class takes it as the default of an optional parameter, so that no module provides it. */
export const systemClock: Clock = () => Date.now();
