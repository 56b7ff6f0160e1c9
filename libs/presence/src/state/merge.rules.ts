import { presenceAnswers, type PresenceTiming } from '#contracts';

/** UNIX seconds; see PresenceEntry. */
export interface PresenceTimes {
  readonly activeAt: number;
  readonly idleAt: number;
  readonly hiddenAt: number;
}

/** What reports change; see PresenceEntry. */
export interface PresenceState extends PresenceTimes {
  readonly isDeactivated: boolean;
}

/**
 * What a report asks for:
 * - `merge`: the user was seen, idle at `idleAt` and, unless 0, active at `activeAt`;
 * - `show` and `hide`: the user began or stopped sharing presence at `idleAt`;
 * - `republish`: the same state again under a new id;
 * - `deactivate` and `reactivate`: the account went out of use, or came back with the times that it had.
 */
export const reportKinds = [
  'merge',
  'show',
  'hide',
  'republish',
  'deactivate',
  'reactivate',
] as const;
export type ReportKind = (typeof reportKinds)[number];

export interface PresenceReport {
  readonly userId: number;
  readonly kind: ReportKind;
  readonly activeAt: number;
  readonly idleAt: number;
  readonly joinedAt: number;
}

/** Going invisible moves the idle time this far back, so that every reader counts the user as offline. */
export const hiddenIdleSeconds = ({ offlineThresholdSeconds }: PresenceTiming): number =>
  offlineThresholdSeconds + 120;

/** And the active time further by more than the legacy offset: the legacy format says `idle` too. */
export const hiddenActiveSeconds = (timing: PresenceTiming): number =>
  hiddenIdleSeconds(timing) + presenceAnswers.legacyActiveOffsetSeconds + 1;

const never: PresenceState = { activeAt: 0, idleAt: 0, hiddenAt: 0, isDeactivated: false };

/**
 * What a report makes of the stored times, or null when it changes nothing and so gets no id.
 *
 * `redis/report.lua` carries the same rules out; a property test holds the two together.
 */
export function applyReport(
  stored: PresenceState | undefined,
  report: PresenceReport,
  timing: PresenceTiming,
): PresenceState | null {
  switch (report.kind) {
    case 'merge':
      return merge(stored ?? never, report, timing.updateMinimumSeconds);
    case 'show':
      return show(stored ?? never, report.idleAt);
    case 'hide':
      return hide(stored ?? never, report.idleAt, timing);
    case 'republish':
      return stored ?? null;
    case 'deactivate':
      return stored?.isDeactivated === false ? { ...stored, isDeactivated: true } : null;
    case 'reactivate':
      return stored?.isDeactivated === true ? { ...stored, isDeactivated: false } : null;
  }
}

/** By maximum, so that repeated and reordered reports do no harm. */
function merge(
  stored: PresenceState,
  report: PresenceReport,
  minimumSeconds: number,
): PresenceState | null {
  // A report that was under way when the user went invisible must not bring them back.
  if (report.idleAt <= stored.hiddenAt) return null;
  const refreshed = (storedAt: number, reportedAt: number) =>
    // Never active is 0, and so long enough ago for any report.
    reportedAt - storedAt > minimumSeconds ? reportedAt : storedAt;
  const activeAt = refreshed(stored.activeAt, report.activeAt);
  const seenAt = refreshed(stored.idleAt, report.idleAt);
  const idleAt = Math.max(seenAt, activeAt);
  if (activeAt === stored.activeAt && idleAt === stored.idleAt) return null;
  return { ...stored, activeAt, idleAt };
}

function show(stored: PresenceState, at: number): PresenceState | null {
  // Written again, or late, after a later change of the same: that one holds.
  if (at < stored.hiddenAt) return null;
  const activeAt = Math.max(stored.activeAt, at);
  return { ...stored, activeAt, idleAt: Math.max(stored.idleAt, activeAt), hiddenAt: at };
}

/** The one change that moves times down. */
function hide(stored: PresenceState, at: number, timing: PresenceTiming): PresenceState | null {
  if (at < stored.hiddenAt) return null;
  return {
    ...stored,
    activeAt: Math.min(stored.activeAt, Math.max(0, at - hiddenActiveSeconds(timing))),
    idleAt: Math.max(0, at - hiddenIdleSeconds(timing)),
    hiddenAt: at,
  };
}
