import type { PresenceTiming } from '#contracts';
import { hiddenActiveSeconds, hiddenIdleSeconds, type PresenceTimes } from './merge.rules.js';
import type { PresenceEntry } from './presence-entry.js';

/**
 * All that either of two states of a user knows. Which one is later does not matter: it may have been
 * made without knowing the other, after Redis had lost that.
 */
export function combineTimes(
  one: PresenceTimes,
  other: PresenceTimes,
  timing: PresenceTiming,
): PresenceTimes {
  const hiddenAt = Math.max(one.hiddenAt, other.hiddenAt);
  const a = hiddenSince(one, hiddenAt, timing);
  const b = hiddenSince(other, hiddenAt, timing);
  return {
    activeAt: Math.max(a.activeAt, b.activeAt),
    idleAt: Math.max(a.idleAt, b.idleAt),
    hiddenAt,
  };
}

/** A state as it counts once it is known that the user hid: what was seen until then stays hidden. */
function hiddenSince(
  times: PresenceTimes,
  hiddenAt: number,
  timing: PresenceTiming,
): PresenceTimes {
  if (times.hiddenAt === hiddenAt) return times;
  const moved = (at: number, seconds: number) =>
    at <= hiddenAt ? Math.min(at, Math.max(0, hiddenAt - seconds)) : at;
  return {
    activeAt: moved(times.activeAt, hiddenActiveSeconds(timing)),
    idleAt: moved(times.idleAt, hiddenIdleSeconds(timing)),
    hiddenAt,
  };
}

/** Whether a stored entry lacks something of a known one; `redis/restore.lua` decides by the same rule. */
export function isLost(
  known: PresenceTimes,
  stored: PresenceTimes | undefined,
  timing: PresenceTiming,
): boolean {
  if (!stored) return true;
  const { activeAt, idleAt, hiddenAt } = combineTimes(stored, known, timing);
  return activeAt !== stored.activeAt || idleAt !== stored.idleAt || hiddenAt !== stored.hiddenAt;
}

/**
 * What Redis has lost of what this process knows, as after a flush, a restore from an old dump, or the
 * promotion of a replica that lagged.
 */
export const lostEntries = (
  known: Iterable<PresenceEntry>,
  stored: ReadonlyMap<number, PresenceEntry>,
  timing: PresenceTiming,
): PresenceEntry[] => [...known].filter((entry) => isLost(entry, stored.get(entry.userId), timing));

/** Two entries of one user as one, under the later id. Who is deactivated is decided by the directory soon. */
export const combineEntries = (
  one: PresenceEntry,
  other: PresenceEntry | undefined,
  timing: PresenceTiming,
): PresenceEntry =>
  other ? { ...one, ...combineTimes(one, other, timing), id: Math.max(one.id, other.id) } : one;

/** All that several sources know of a realm, with one entry for each user. Where they differ in more, the later has it. */
export function combineSources(
  sources: readonly Iterable<PresenceEntry>[],
  timing: PresenceTiming,
): PresenceEntry[] {
  const known = new Map<number, PresenceEntry>();
  for (const source of sources) {
    for (const entry of source) {
      known.set(entry.userId, combineEntries(entry, known.get(entry.userId), timing));
    }
  }
  return [...known.values()];
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
  known.idleAt === entry.idleAt &&
  known.isDeactivated === entry.isDeactivated;
