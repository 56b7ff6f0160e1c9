/** Presence reduces times that are further ahead. */
const MAX_OFFSET_MS = 5000;

/** Whether a clock is near enough to another one. */
export const isClockRight = (aheadMs: number): boolean => Math.abs(aheadMs) < MAX_OFFSET_MS;

/** Says how far the clock of a program is from that of Redis. */
export const clockText = (aheadMs: number): string =>
  `the clock is ${Math.round(Math.abs(aheadMs) / 1000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} that of Redis`;
