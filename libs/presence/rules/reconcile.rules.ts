import type { PresenceTiming } from './presence-timing.js';
import {
  hiddenActiveSeconds,
  hiddenIdleSeconds,
  isAheadOf,
  type PresenceEntry,
  type PresenceTimes,
  clampTimes,
} from './merge.rules.js';

/**
 * Combines two states of a user: after data loss, each may have been written without the other. The result lacks nothing of
 * either. Of three or more states, `idleAt` and `hiddenAt` do not depend on the order. The hidden part of `activeAt` may: it
 * is moved back once for each `hiddenAt` that it meets, and every result is old enough.
 */
export function combineTimes(
  one: PresenceTimes,
  other: PresenceTimes,
  timing: PresenceTiming,
): PresenceTimes {
  const hiddenAt = Math.max(one.hiddenAt, other.hiddenAt);
  const a = withHidden(one, hiddenAt, timing);
  const b = withHidden(other, hiddenAt, timing);
  return {
    activeAt: Math.max(a.activeAt, b.activeAt),
    idleAt: Math.max(a.idleAt, b.idleAt),
    hiddenAt,
  };
}

/** The times of a user who went invisible at `hiddenAt`: earlier times are moved back. */
function withHidden(times: PresenceTimes, hiddenAt: number, timing: PresenceTiming): PresenceTimes {
  if (times.hiddenAt === hiddenAt) return times;
  const moved = (at: number, seconds: number) =>
    at <= hiddenAt ? Math.min(at, Math.max(0, hiddenAt - seconds)) : at;
  return {
    activeAt: moved(times.activeAt, hiddenActiveSeconds(timing)),
    idleAt: moved(times.idleAt, hiddenIdleSeconds(timing)),
    hiddenAt,
  };
}

/** Whether a stored entry lacks a part of a known one; `store/restore.lua` has the same rule. */
export function lacks(
  stored: PresenceTimes | undefined,
  known: PresenceTimes,
  timing: PresenceTiming,
): boolean {
  if (!stored) return true;
  const { activeAt, idleAt, hiddenAt } = combineTimes(stored, known, timing);
  return activeAt !== stored.activeAt || idleAt !== stored.idleAt || hiddenAt !== stored.hiddenAt;
}

/** The entries of a realm in Redis, and the latest time that Redis accepted when they were read. */
interface EntrySource {
  readonly entries: ReadonlyMap<number, PresenceEntry>;
  readonly latest: number;
}

/**
 * Entries of this process that Redis has lost: after a flush, an old dump, or the promotion of a replica that lagged. Times
 * ahead of the clock are compared as Redis would store them; otherwise they would be lost for ever.
 */
export const lostEntries = (
  known: readonly PresenceEntry[],
  { entries, latest }: EntrySource,
  timing: PresenceTiming,
): PresenceEntry[] =>
  known
    .map((entry) => clampTimes(entry, latest))
    .filter((entry) => lacks(entries.get(entry.userId), entry, timing));

/** Entries with a higher id than the saved entry of the same user, or without one. */
export function newerEntries(
  entries: readonly PresenceEntry[],
  saved: readonly PresenceEntry[],
): PresenceEntry[] {
  const savedIds = new Map(saved.map(({ userId, id }) => [userId, id]));
  return entries.filter(({ userId, id }) => id > (savedIds.get(userId) ?? 0));
}

/** Combines two entries of one user under the later id. The directory corrects `isDeactivated` later. */
export const combineEntries = (
  one: PresenceEntry,
  other: PresenceEntry | undefined,
  timing: PresenceTiming,
): PresenceEntry =>
  other ? { ...one, ...combineTimes(one, other, timing), id: Math.max(one.id, other.id) } : one;

/** Combines the entries of several sources into one entry per user. */
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
 * Users whose stored entry needs a new id:
 * - it differs from the entry of this process, and its id is not above `servedId`, the highest id that this process has
 *   served: clients with that cursor would never get the entry. This happens when another process with other state has
 *   restored a lost realm;
 * - its times are ahead of the clock: republishing reduces them.
 */
export function usersToRepublish(
  { entries, latest }: EntrySource,
  knownEntry: (userId: number) => PresenceEntry | undefined,
  servedId: number,
): number[] {
  const isBelowCursor = (entry: PresenceEntry) =>
    entry.id <= servedId && !isSame(entry, knownEntry(entry.userId));
  return [...entries.values()]
    .filter((entry) => isBelowCursor(entry) || isAheadOf(entry, latest))
    .map((entry) => entry.userId);
}

const isSame = (entry: PresenceEntry, known: PresenceEntry | undefined): boolean =>
  known !== undefined &&
  known.id === entry.id &&
  known.activeAt === entry.activeAt &&
  known.idleAt === entry.idleAt &&
  known.isDeactivated === entry.isDeactivated;
