const HOUR_MS = 3_600_000;
const HOURS_A_DAY = 24;
/** Of the tokens of an app, in a day. */
const MAX_AGED_A_DAY = 0.05;

/**
 * The number of tokens of an app that may end by their age in this hour; `tokens` is the number of all its tokens. A
 * day has at most 5 % of them, and at least one, spread over its hours. `now` is in UNIX milliseconds.
 */
export function maxAgedInHour(tokens: number, now: number): number {
  const inDay = Math.max(1, Math.floor(tokens * MAX_AGED_A_DAY));
  const hour = Math.floor(now / HOUR_MS) % HOURS_A_DAY;
  return Math.floor((inDay * (hour + 1)) / HOURS_A_DAY) - Math.floor((inDay * hour) / HOURS_A_DAY);
}
