/** What waits for a gate does not all come back in the same moment. */
const SPREAD_MS = 2000;

/** When one of those that wait until a gate opens comes back; `chance` is a random number from 0 up to 1. */
export const spreadFrom = (until: number, chance: number): number => until + chance * SPREAD_MS;
