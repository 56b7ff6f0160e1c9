/** The time now, in milliseconds since the epoch. Rules take it as an argument; tests pass their own. */
export type Clock = () => number;

/** Presence reduces times that are further ahead. */
const MAX_OFFSET_MS = 5000;

/** Whether a clock is near enough to another one. */
export const isClockRight = (aheadMs: number): boolean => Math.abs(aheadMs) < MAX_OFFSET_MS;

/** The clock of the system. */
export const systemClock: Clock = () => Date.now();

/** DI token of the program's clock. */
export const CLOCK = Symbol('Clock');
