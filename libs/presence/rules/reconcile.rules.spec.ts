import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { defaultPresenceTiming } from './presence-timing.js';
import {
  applyReport,
  hiddenActiveSeconds,
  type PresenceEntry,
  type PresenceReport,
  type PresenceState,
  type PresenceTimes,
} from './merge.rules.js';
import {
  combineEntries,
  combineTimes,
  lacks,
  lostEntries,
  usersToRepublish,
} from './reconcile.rules.js';

const entry = (userId: number, id: number, idleAt = 1000): PresenceEntry => ({
  userId,
  activeAt: 900,
  idleAt,
  joinedAt: 1,
  hiddenAt: 0,
  isDeactivated: false,
  id,
});
const byUser = (...entries: PresenceEntry[]) => new Map(entries.map((one) => [one.userId, one]));
const stored = (...entries: PresenceEntry[]) => ({ entries: byUser(...entries), latest: 5000 });

const seconds = fc.nat(2000);
const anyTimes: fc.Arbitrary<PresenceTimes> = fc
  .tuple(seconds, seconds, fc.option(seconds, { nil: 0 }))
  .map(([one, other, hiddenAt]) => ({
    activeAt: Math.min(one, other),
    idleAt: Math.max(one, other),
    hiddenAt,
  }));

const anyReport: fc.Arbitrary<PresenceReport> = fc
  .tuple(fc.constantFrom('merge', 'show', 'hide'), seconds, fc.boolean())
  .map(([kind, idleAt, isActive]) => ({
    userId: 1,
    kind,
    activeAt: isActive ? idleAt : 0,
    idleAt,
    joinedAt: 1,
  }));

/** A state that reports lead to. */
const anyState: fc.Arbitrary<PresenceState> = fc
  .array(anyReport, { maxLength: 6 })
  .map((reports) =>
    reports.reduce<PresenceState>(
      (state, report) => applyReport(state, report, defaultPresenceTiming) ?? state,
      { activeAt: 0, idleAt: 0, hiddenAt: 0, isDeactivated: false },
    ),
  );

describe(combineTimes.name, () => {
  it('does not depend on the order', () => {
    fc.assert(
      fc.property(anyTimes, anyTimes, (one, other) => {
        expect(combineTimes(one, other, defaultPresenceTiming)).toEqual(
          combineTimes(other, one, defaultPresenceTiming),
        );
      }),
    );
  });

  it('does not change a state that it meets again', () => {
    fc.assert(
      fc.property(anyTimes, (times) => {
        expect(combineTimes(times, times, defaultPresenceTiming)).toEqual(times);
      }),
    );
  });

  it('does not depend on the grouping of three states, but for an activity that all hide', () => {
    const combine = (one: PresenceTimes, other: PresenceTimes) =>
      combineTimes(one, other, defaultPresenceTiming);
    fc.assert(
      fc.property(anyState, anyState, anyState, (a, b, c) => {
        const first = combine(combine(a, b), c);
        const second = combine(a, combine(b, c));
        expect([first.idleAt, first.hiddenAt]).toEqual([second.idleAt, second.hiddenAt]);
        if (first.activeAt === second.activeAt) return;
        const hiddenUpTo = first.hiddenAt - hiddenActiveSeconds(defaultPresenceTiming);
        expect(Math.max(first.activeAt, second.activeAt)).toBeLessThanOrEqual(hiddenUpTo);
      }),
      { numRuns: 1000 },
    );
  });

  it('is stable: the result lacks nothing of either state', () => {
    fc.assert(
      fc.property(anyTimes, anyTimes, (one, other) => {
        const both = combineTimes(one, other, defaultPresenceTiming);
        expect(lacks(both, one, defaultPresenceTiming)).toBe(false);
        expect(lacks(both, other, defaultPresenceTiming)).toBe(false);
      }),
    );
  });

  it('keeps times hidden from before the user went invisible', () => {
    const seen = { activeAt: 1000, idleAt: 1000, hiddenAt: 0 };
    const hidden = { activeAt: 0, idleAt: 680, hiddenAt: 1000 };
    expect(combineTimes(seen, hidden, defaultPresenceTiming)).toEqual({
      activeAt: 609,
      idleAt: 680,
      hiddenAt: 1000,
    });
  });

  it('keeps times from after the user went invisible', () => {
    const seen = { activeAt: 1001, idleAt: 1002, hiddenAt: 0 };
    const hidden = { activeAt: 0, idleAt: 680, hiddenAt: 1000 };
    expect(combineTimes(seen, hidden, defaultPresenceTiming)).toEqual({
      activeAt: 1001,
      idleAt: 1002,
      hiddenAt: 1000,
    });
  });
});

describe(lostEntries.name, () => {
  it('returns missing entries and entries with older times', () => {
    const known = [entry(1, 10), entry(2, 11), entry(3, 12, 2000)];
    expect(lostEntries(known, stored(entry(2, 11), entry(3, 9)), defaultPresenceTiming)).toEqual([
      known[0],
      known[2],
    ]);
  });

  it('returns nothing for times that Redis has reduced', () => {
    const [ahead, reduced] = [entry(1, 10, 6000), entry(1, 10, 5000)];
    expect(lostEntries([ahead], stored(reduced), defaultPresenceTiming)).toEqual([]);
  });

  it('returns nothing if Redis is ahead', () => {
    expect(
      lostEntries([entry(1, 10)], stored(entry(1, 20, 2000), entry(2, 21)), defaultPresenceTiming),
    ).toEqual([]);
  });
});

describe(combineEntries.name, () => {
  it('uses the later id', () => {
    expect(combineEntries(entry(1, 10, 2000), entry(1, 20), defaultPresenceTiming)).toEqual(
      entry(1, 20, 2000),
    );
    expect(combineEntries(entry(1, 10), undefined, defaultPresenceTiming)).toEqual(entry(1, 10));
  });
});

describe(usersToRepublish.name, () => {
  it('returns users with an unknown entry at or below the served id', () => {
    const known = byUser(entry(1, 10), entry(2, 11));
    const found = stored(entry(1, 10), entry(2, 12), entry(3, 13), entry(4, 30));
    expect(usersToRepublish(found, (userId) => known.get(userId), 20)).toEqual([2, 3]);
  });

  it.each(['activeAt', 'idleAt'] as const)(
    'returns users whose entry has another %s under the same id',
    (name) => {
      const known = { ...entry(1, 7), [name]: 100 };
      const found = stored({ ...entry(1, 7), [name]: 200 });
      expect(usersToRepublish(found, () => known, 7)).toEqual([1]);
    },
  );

  it('returns users who are deactivated here and active in Redis', () => {
    const known = byUser({ ...entry(1, 10), isDeactivated: true });
    expect(usersToRepublish(stored(entry(1, 10)), (userId) => known.get(userId), 20)).toEqual([1]);
  });

  it('returns users with times ahead of the clock, whatever the id', () => {
    const [onTime, ahead] = [entry(1, 30, 5000), entry(2, 31, 5001)];
    expect(usersToRepublish(stored(onTime, ahead), () => undefined, 20)).toEqual([2]);
  });
});
