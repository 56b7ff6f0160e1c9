import { presenceTiming } from '#contracts';

/** The part of an entry that reports change. UNIX seconds; see PresenceEntry. */
export interface PresenceTimes {
  readonly activeAt: number;
  readonly idleAt: number;
  readonly hiddenAt: number;
}

/**
 * What a report asks for:
 * - `merge`: the user was seen, idle at `idleAt` and, unless 0, active at `activeAt`;
 * - `show` and `hide`: the user began or stopped sharing presence at `idleAt`;
 * - `republish`: the same state again under a new id.
 */
export const reportKinds = ['merge', 'show', 'hide', 'republish'] as const;
export type ReportKind = (typeof reportKinds)[number];

export interface PresenceReport {
  readonly userId: number;
  readonly kind: ReportKind;
  readonly activeAt: number;
  readonly idleAt: number;
  readonly joinedAt: number;
}

/** Going invisible moves the idle time this far back, so that every reader counts the user as offline. */
export const HIDDEN_IDLE_SECONDS = presenceTiming.offlineThresholdSeconds + 120;

/** And the active time further by more than the legacy offset: the legacy format says `idle` too. */
export const HIDDEN_ACTIVE_SECONDS =
  HIDDEN_IDLE_SECONDS + presenceTiming.legacyActiveOffsetSeconds + 1;

const never: PresenceTimes = { activeAt: 0, idleAt: 0, hiddenAt: 0 };

/**
 * What a report makes of the stored times, or null when it changes nothing and so gets no id.
 *
 * `redis/report.lua` carries the same rules out; a property test holds the two together.
 */
export function applyReport(
  stored: PresenceTimes | undefined,
  report: PresenceReport,
): PresenceTimes | null {
  switch (report.kind) {
    case 'merge':
      return merge(stored ?? never, report);
    case 'show':
      return show(stored ?? never, report.idleAt);
    case 'hide':
      return hide(stored ?? never, report.idleAt);
    case 'republish':
      return stored ?? null;
  }
}

/** By maximum, so that repeated and reordered reports do no harm. */
function merge(stored: PresenceTimes, report: PresenceReport): PresenceTimes | null {
  // A report that was under way when the user went invisible must not bring them back.
  if (report.idleAt <= stored.hiddenAt) return null;
  const activeAt = isRefresh(stored.activeAt, report.activeAt) ? report.activeAt : stored.activeAt;
  const seenAt = isRefresh(stored.idleAt, report.idleAt) ? report.idleAt : stored.idleAt;
  const idleAt = Math.max(seenAt, activeAt);
  if (activeAt === stored.activeAt && idleAt === stored.idleAt) return null;
  return { activeAt, idleAt, hiddenAt: stored.hiddenAt };
}

/** Never active is 0, and so long enough ago for any report. */
const isRefresh = (storedAt: number, reportedAt: number): boolean =>
  reportedAt - storedAt > presenceTiming.updateMinimumSeconds;

function show(stored: PresenceTimes, at: number): PresenceTimes {
  const activeAt = Math.max(stored.activeAt, at);
  return { activeAt, idleAt: Math.max(stored.idleAt, activeAt), hiddenAt: stored.hiddenAt };
}

/** The one change that moves times down. */
function hide(stored: PresenceTimes, at: number): PresenceTimes {
  return {
    activeAt: Math.min(stored.activeAt, Math.max(0, at - HIDDEN_ACTIVE_SECONDS)),
    idleAt: Math.max(0, at - HIDDEN_IDLE_SECONDS),
    hiddenAt: Math.max(stored.hiddenAt, at),
  };
}
