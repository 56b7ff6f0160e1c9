import type { PresenceTiming } from '#contracts';
import { applyReport, type PresenceReport } from '../state/merge.rules.js';
import type { PresenceEntry } from '../state/presence-entry.js';

/** Update ids are microseconds. */
const MICROSECONDS = 1_000_000;

/**
 * What is saved of a user of whom Redis cannot be told now; null when there is nothing new. Its id is above `aboveId`:
 * of the mirror, whose position nobody's cursor is above while Redis makes no ids, and of what was saved before. Were
 * the realm made anew from what was saved, everybody would be told.
 */
export function heldEntry(
  stored: PresenceEntry | undefined,
  seen: PresenceReport,
  aboveId: number,
  timing: PresenceTiming,
): PresenceEntry | null {
  const state = applyReport(stored, seen, timing);
  if (state === null) return null;
  const { userId, joinedAt, idleAt } = seen;
  return { ...state, userId, joinedAt, id: Math.max(aboveId + 1, idleAt * MICROSECONDS) };
}
