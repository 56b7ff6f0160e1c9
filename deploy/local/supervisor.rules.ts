const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 10_000;
/** A program that has lived this long starts over with the shortest delay when it dies. */
const SOUND_LIFE_MS = 30_000;

/** How long to wait before a dead program is started again, after `previousMs` the last time. */
export function restartDelayMs(previousMs: number | undefined, livedMs: number): number {
  if (previousMs === undefined || livedMs >= SOUND_LIFE_MS) return FIRST_DELAY_MS;
  return Math.min(previousMs * 2, LONGEST_DELAY_MS);
}
