import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { defaultPresenceTiming } from '#contracts';
import type { PresenceTimes } from './merge.rules.js';
import type { PresenceEntry } from './presence-entry.js';
import {
  buriedUsers,
  combineEntries,
  combineTimes,
  isLost,
  lostEntries,
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

const seconds = fc.nat(2000);
const anyTimes: fc.Arbitrary<PresenceTimes> = fc
  .tuple(seconds, seconds, fc.option(seconds, { nil: 0 }))
  .map(([one, other, hiddenAt]) => ({
    activeAt: Math.min(one, other),
    idleAt: Math.max(one, other),
    hiddenAt,
  }));

describe(combineTimes.name, () => {
  it('does not depend on which came first', () => {
    fc.assert(
      fc.property(anyTimes, anyTimes, (one, other) => {
        expect(combineTimes(one, other, defaultPresenceTiming)).toEqual(
          combineTimes(other, one, defaultPresenceTiming),
        );
      }),
    );
  });

  it('comes to rest: the result lacks nothing of either', () => {
    fc.assert(
      fc.property(anyTimes, anyTimes, (one, other) => {
        const both = combineTimes(one, other, defaultPresenceTiming);
        expect(isLost(one, both, defaultPresenceTiming)).toBe(false);
        expect(isLost(other, both, defaultPresenceTiming)).toBe(false);
      }),
    );
  });

  it('keeps hidden what was seen before the user hid', () => {
    const seen = { activeAt: 1000, idleAt: 1000, hiddenAt: 0 };
    const hidden = { activeAt: 0, idleAt: 680, hiddenAt: 1000 };
    expect(combineTimes(seen, hidden, defaultPresenceTiming)).toEqual({
      activeAt: 609,
      idleAt: 680,
      hiddenAt: 1000,
    });
  });

  it('keeps what was seen after the user hid', () => {
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
  it('names who is missing and who is behind', () => {
    const known = [entry(1, 10), entry(2, 11), entry(3, 12, 2000)];
    expect(lostEntries(known, byUser(entry(2, 11), entry(3, 9)), defaultPresenceTiming)).toEqual([
      known[0],
      known[2],
    ]);
  });

  it('names nobody when Redis is ahead', () => {
    expect(
      lostEntries([entry(1, 10)], byUser(entry(1, 20, 2000), entry(2, 21)), defaultPresenceTiming),
    ).toEqual([]);
  });
});

describe(combineEntries.name, () => {
  it('takes the later id', () => {
    expect(combineEntries(entry(1, 10, 2000), entry(1, 20), defaultPresenceTiming)).toEqual(
      entry(1, 20, 2000),
    );
    expect(combineEntries(entry(1, 10), undefined, defaultPresenceTiming)).toEqual(entry(1, 10));
  });
});

describe(buriedUsers.name, () => {
  it('names whose entry is unknown here though its id is not above what was served', () => {
    const known = byUser(entry(1, 10), entry(2, 11));
    const stored = byUser(entry(1, 10), entry(2, 12), entry(3, 13), entry(4, 30));
    expect(buriedUsers(stored, (userId) => known.get(userId), 20)).toEqual([2, 3]);
  });

  it('names who was left out here and is in use there', () => {
    const known = byUser({ ...entry(1, 10), isDeactivated: true });
    expect(buriedUsers(byUser(entry(1, 10)), (userId) => known.get(userId), 20)).toEqual([1]);
  });
});
