/** Says how far the clock of a program is from that of Redis. */
export const clockText = (aheadMs: number): string =>
  `the clock is ${Math.round(Math.abs(aheadMs) / 1000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} that of Redis`;
