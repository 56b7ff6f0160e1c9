import { hideTimes } from './merge.rules.js';
import type { PresenceEntry } from './presence-entry.js';

/**
 * What Redis has lost of what this process knows, as after a flush, a restore from an old dump, or the
 * promotion of a replica that lagged. `redis/restore.lua` looks at each of these again.
 */
export function lostEntries(
  known: Iterable<PresenceEntry>,
  stored: ReadonlyMap<number, PresenceEntry>,
): PresenceEntry[] {
  return [...known].filter((entry) => isLost(entry, stored.get(entry.userId)));
}

/** Whether a stored entry lacks something of a known one. */
export const isLost = (known: PresenceEntry, stored: PresenceEntry | undefined): boolean =>
  repaired(known, stored) !== stored;

/** The stored entry with what a known one adds to it; the stored one itself when that is nothing. */
export function repaired(known: PresenceEntry, stored: PresenceEntry | undefined): PresenceEntry {
  if (!stored || stored.id < known.id) return known;
  // Later changes were made to a state that lacked this one. What is from before the user hid counts
  // as hidden.
  const wasHidden = known.idleAt <= stored.hiddenAt;
  const { activeAt, idleAt } = wasHidden ? hideTimes(known, stored.hiddenAt) : known;
  if (activeAt <= stored.activeAt && idleAt <= stored.idleAt) return stored;
  return {
    ...stored,
    activeAt: Math.max(activeAt, stored.activeAt),
    idleAt: Math.max(idleAt, stored.idleAt),
  };
}

/**
 * Users whose stored entry some client of this process would not be told of: its id is not above
 * `servedId`, the highest that this process has served, and yet it is not what this process knows.
 * Happens when another process, which knew other things, brought a lost realm back.
 */
export function buriedUsers(
  stored: ReadonlyMap<number, PresenceEntry>,
  knownEntry: (userId: number) => PresenceEntry | undefined,
  servedId: number,
): number[] {
  return [...stored.values()]
    .filter((entry) => entry.id <= servedId && !isSame(entry, knownEntry(entry.userId)))
    .map((entry) => entry.userId);
}

const isSame = (entry: PresenceEntry, known: PresenceEntry | undefined): boolean =>
  known !== undefined &&
  known.id === entry.id &&
  known.activeAt === entry.activeAt &&
  known.idleAt === entry.idleAt;
