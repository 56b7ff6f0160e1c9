import fc from 'fast-check';
import {
  type PresenceEntry,
  type PresenceReport,
  type PresenceTimes,
  presenceTimingOf,
} from '#presence/rules';

export const MICROSECONDS = 1_000_000;

/** Not the default timing, so that the tests notice a script that ignores it. */
export const timing = presenceTimingOf({ pingIntervalSeconds: 70, offlineThresholdSeconds: 290 });

/** Times around the rules' limits: 125 s, and the 410 s and 481 s of going invisible. */
export const anySeconds = fc.integer({ min: 1000, max: 2000 });

/** The times of a user, in any combination, and whether the account is deactivated. */
export const anyState = fc
  .tuple(anySeconds, anySeconds, fc.option(anySeconds, { nil: 0 }), fc.boolean())
  .map(([one, other, hiddenAt, isDeactivated]) => ({
    activeAt: Math.min(one, other),
    idleAt: Math.max(one, other),
    hiddenAt,
    isDeactivated,
  }));

/** A report of an active user. */
export const seen = (userId: number, at: number): PresenceReport => {
  return { userId, kind: 'merge', activeAt: at, idleAt: at, joinedAt: 7 };
};

export const entryOf = (
  userId: number,
  id: number,
  state: PresenceTimes & Partial<PresenceEntry>,
): PresenceEntry => {
  return { userId, joinedAt: 7, id, isDeactivated: false, ...state };
};

export const timesOf = ({ activeAt, idleAt, hiddenAt }: PresenceTimes): PresenceTimes => ({
  activeAt,
  idleAt,
  hiddenAt,
});
