import { presenceAnswers } from './presence-answers.js';
import type { PresenceTiming } from './presence-timing.js';

/** The stored state of one user. Times are UNIX seconds. */
export interface PresenceEntry {
  readonly userId: number;
  /** 0: never reported active. */
  readonly activeAt: number;
  readonly idleAt: number;
  /** Shown for users who were never active. Otherwise it may be 0, because Redis does not store it. */
  readonly joinedAt: number;
  /** When the user last went invisible or visible. Earlier times stay hidden. 0: never. */
  readonly hiddenAt: number;
  /** Hidden from everyone. As published; the account may have changed since. */
  readonly isDeactivated: boolean;
  /** The update id: microseconds since 1970, or slightly more. A later change has a higher id. */
  readonly id: number;
}

/** A published entry, and its place in the history of the realm. */
export interface PresenceChange {
  readonly entry: PresenceEntry;
  /** The update id of the previous change. */
  readonly previousId: number;
  /** The hash of all changes up to the previous one. In two histories, one id may belong to different changes. */
  readonly previousChain: number;
  /** The hash of all changes up to this one. */
  readonly chain: number;
}

/** The position of a realm in Redis. */
export interface RealmPosition {
  /** A random number, drawn when the realm is created or restored in Redis. */
  readonly epoch: number;
  /** The last update id. */
  readonly top: number;
  /** The hash of all changes up to `top`. */
  readonly chain: number;
}

/** UNIX seconds; see PresenceEntry. */
export interface PresenceTimes {
  readonly activeAt: number;
  readonly idleAt: number;
  readonly hiddenAt: number;
}

/** The part of an entry that reports change. */
export interface PresenceState extends PresenceTimes {
  readonly isDeactivated: boolean;
}

/**
 * - `merge`: the user was idle at `idleAt` and, unless 0, active at `activeAt`;
 * - `show` and `hide`: the user went visible or invisible at `idleAt`;
 * - `republish`: gives the unchanged state a new id;
 * - `deactivate` and `reactivate`: the account was deactivated, or reactivated with its previous times.
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

/** A change of one user, in UNIX seconds; the kind tells which times count. */
export interface PresenceReport {
  readonly userId: number;
  readonly kind: ReportKind;
  readonly activeAt: number;
  readonly idleAt: number;
  readonly joinedAt: number;
}

/** Going invisible moves the idle time back by this much, so that every reader counts the user as offline. */
export const hiddenIdleSeconds = ({ offlineThresholdSeconds }: PresenceTiming): number =>
  offlineThresholdSeconds + 120;

/** It moves the active time further back, by more than the legacy offset, so that the legacy format shows `idle`. */
export const hiddenActiveSeconds = (timing: PresenceTiming): number =>
  hiddenIdleSeconds(timing) + presenceAnswers.legacyActiveOffsetSeconds + 1;

const neverSeen: PresenceState = { activeAt: 0, idleAt: 0, hiddenAt: 0, isDeactivated: false };

/**
 * The state after a report; null if the report changes nothing and so gets no id. `store/report.lua` has the same rules; a
 * property test compares the two.
 */
export function applyReport(
  stored: PresenceState | undefined,
  report: PresenceReport,
  timing: PresenceTiming,
): PresenceState | null {
  switch (report.kind) {
    case 'merge':
      return merge(stored ?? neverSeen, report, timing.updateMinimumSeconds);
    case 'show':
      return show(stored ?? neverSeen, report.idleAt);
    case 'hide':
      return hide(stored ?? neverSeen, report.idleAt, timing);
    case 'republish':
      return stored ?? null;
    case 'deactivate':
      return stored?.isDeactivated === false ? { ...stored, isDeactivated: true } : null;
    case 'reactivate':
      return stored?.isDeactivated === true ? { ...stored, isDeactivated: false } : null;
  }
}

/**
 * Whether a report certainly changes nothing, so that it need not be written to Redis. Not if the stored times are ahead of
 * the report: only the clock of Redis can decide which of the two is wrong.
 */
export function changesNothing(
  stored: PresenceState | undefined,
  report: PresenceReport,
  timing: PresenceTiming,
): boolean {
  if (report.kind !== 'merge') return false;
  if (stored && isAheadOf(stored, latestAcceptedAt(report.idleAt))) return false;
  return applyReport(stored, report, timing) === null;
}

/** Takes the maximum, so that repeated and reordered reports are harmless. */
function merge(
  stored: PresenceState,
  report: PresenceReport,
  minimumSeconds: number,
): PresenceState | null {
  // A report that was in flight when the user went invisible must not make the user visible.
  if (report.idleAt <= stored.hiddenAt) return null;
  const refreshed = (storedAt: number, reportedAt: number) =>
    // 0 (never active) is older than any report.
    reportedAt - storedAt > minimumSeconds ? reportedAt : storedAt;
  const activeAt = refreshed(stored.activeAt, report.activeAt);
  const seenAt = refreshed(stored.idleAt, report.idleAt);
  const idleAt = Math.max(seenAt, activeAt);
  if (activeAt === stored.activeAt && idleAt === stored.idleAt) return null;
  return { ...stored, activeAt, idleAt };
}

function show(stored: PresenceState, at: number): PresenceState | null {
  // A repeated or late change does not replace a later one.
  if (at < stored.hiddenAt) return null;
  const activeAt = Math.max(stored.activeAt, at);
  return { ...stored, activeAt, idleAt: Math.max(stored.idleAt, activeAt), hiddenAt: at };
}

/** The only change that reduces times. */
function hide(stored: PresenceState, at: number, timing: PresenceTiming): PresenceState | null {
  if (at < stored.hiddenAt) return null;
  return {
    ...stored,
    activeAt: Math.min(stored.activeAt, Math.max(0, at - hiddenActiveSeconds(timing))),
    idleAt: Math.max(0, at - hiddenIdleSeconds(timing)),
    hiddenAt: at,
  };
}

/** The first update id of a time. Update ids are microseconds. */
export const updateIdAt = (ms: number): number => ms * 1000;

/**
 * The entry to save in PostgreSQL for a report that Redis cannot take now; null if the report changes nothing. The id is
 * above `aboveId`: the position of the replica, or the id of the previous such entry. No cursor is above `aboveId` while
 * Redis allocates no ids, so all clients get the entry if the realm is restored from PostgreSQL.
 */
export function bufferedEntry(
  stored: PresenceEntry | undefined,
  seen: PresenceReport,
  aboveId: number,
  timing: PresenceTiming,
): PresenceEntry | null {
  const state = applyReport(stored, seen, timing);
  if (state === null) return null;
  const { userId, joinedAt, idleAt } = seen;
  return { ...state, userId, joinedAt, id: Math.max(aboveId + 1, updateIdAt(idleAt * 1000)) };
}

/**
 * A reported time may be this far ahead of the clock; a later time is reduced. The tolerance keeps the order of reports
 * from gateways with ordinary clocks; the limit bounds the effect of a wrong clock.
 */
export const CLOCK_TOLERANCE_SECONDS = 5;

/** The latest accepted time at `nowSeconds`, in UNIX seconds. */
export const latestAcceptedAt = (nowSeconds: number): number =>
  Math.floor(nowSeconds) + CLOCK_TOLERANCE_SECONDS;

/**
 * A gateway's clock may be behind by this much. It includes the time in transit: a report in flight must not move past a
 * later `hide`.
 */
const MAX_CLOCK_LAG_SECONDS = 60;

/**
 * How many seconds the clock of the sender of a request is behind, to add to the times of the request; 0 up to the limit,
 * or if the sender does not tell when it sent the request.
 */
export function clockLagSeconds(sentAt: number | undefined, nowSeconds: number): number {
  const lag = Math.floor(nowSeconds - (sentAt ?? nowSeconds));
  return lag > MAX_CLOCK_LAG_SECONDS ? lag : 0;
}

/** Whether one of the times is later than `latest`. */
export const isAheadOf = ({ activeAt, idleAt, hiddenAt }: PresenceTimes, latest: number): boolean =>
  activeAt > latest || idleAt > latest || hiddenAt > latest;

/** Reduces times after `latest` to `latest`. */
export const clampTimes = <Times extends PresenceTimes>(times: Times, latest: number): Times =>
  isAheadOf(times, latest)
    ? {
        ...times,
        activeAt: Math.min(times.activeAt, latest),
        idleAt: Math.min(times.idleAt, latest),
        hiddenAt: Math.min(times.hiddenAt, latest),
      }
    : times;

/** Reduces times of a report after `latest` to `latest`. */
export const clampReport = (report: PresenceReport, latest: number): PresenceReport =>
  report.activeAt > latest || report.idleAt > latest
    ? {
        ...report,
        activeAt: Math.min(report.activeAt, latest),
        idleAt: Math.min(report.idleAt, latest),
      }
    : report;
