/** The time now, in milliseconds since the epoch. Rules take it as an argument; tests pass their own. */
export type Clock = () => number;

/** Two clocks with a smaller difference count as equal. */
const CLOCK_TOLERANCE_MS = 5000;

/** Whether the difference between two clocks can be tolerated. */
export const isWithinClockTolerance = (offsetMs: number): boolean =>
  Math.abs(offsetMs) < CLOCK_TOLERANCE_MS;

/** The clock of the system. */
export const systemClock: Clock = () => Date.now();

/** DI token of the program's clock. */
export const CLOCK = Symbol('Clock');
