const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 5000;

/**
 * Milliseconds to wait before the next connection is tried, after so many that came to nothing: doubled
 * from a tenth of a second up to five seconds, of which up to half is left out by chance, so that many
 * processes do not come at once.
 *
 * `chance` is a random number from 0 up to 1.
 */
export function reconnectDelayMs(failures: number, chance: number): number {
  const grown = Math.min(FIRST_DELAY_MS * 2 ** (failures - 1), LONGEST_DELAY_MS);
  return grown * (1 - chance / 2);
}
