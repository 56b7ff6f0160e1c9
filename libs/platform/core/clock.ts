/** The time now, in milliseconds since the epoch. Rules take it as an argument; tests pass their own. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/** DI token of the program's clock. */
export const CLOCK = Symbol('Clock');
