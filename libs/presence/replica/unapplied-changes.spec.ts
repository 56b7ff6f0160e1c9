import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { defaultPresenceTiming, type PresenceEntry } from '#presence/rules';
import { UnappliedChanges } from './unapplied-changes.js';

const entry = (userId: number, id: number, seenAt = id): PresenceEntry => {
  const times = { activeAt: seenAt, idleAt: seenAt, joinedAt: 1, hiddenAt: 0 };
  return { userId, ...times, isDeactivated: false, id };
};

/** A replica that counts its lookups. */
class CountingReplica {
  position = 0;
  lookups = 0;
  readonly #entries = new Map<number, PresenceEntry>();

  get(userId: number): PresenceEntry | undefined {
    this.lookups += 1;
    return this.#entries.get(userId);
  }

  take(taken: PresenceEntry): void {
    this.#entries.set(taken.userId, taken);
    this.position = taken.id;
  }
}

describe(UnappliedChanges.name, () => {
  let replica: CountingReplica;
  let sut: UnappliedChanges;

  beforeEach(() => {
    replica = new CountingReplica();
    sut = new UnappliedChanges(defaultPresenceTiming);
  });

  /** The number of lookups while the replica takes one change of each user. */
  function lookupsToSettle(users: number): number {
    replica = new CountingReplica();
    sut = new UnappliedChanges(defaultPresenceTiming);
    for (let userId = 1; userId <= users; userId += 1) sut.add(entry(userId, 1000 + userId));
    for (let userId = 1; userId <= users; userId += 1) {
      replica.take(entry(userId, 1000 + userId));
      expect(sut.discardApplied([userId], replica)).toBe(false);
    }
    expect(sut.size).toBe(0);
    return replica.lookups;
  }

  it('visits no more users per change when more changes are unapplied', () => {
    const [few, many] = [lookupsToSettle(1000), lookupsToSettle(4000)];
    expect(many / few).toBeLessThanOrEqual(4);
  });

  it('discards changes that the replica has, and reports skipped ones', () => {
    sut.add(entry(1, 11));
    sut.add(entry(2, 12));
    replica.take(entry(1, 11));
    expect(sut.discardApplied([1], replica)).toBe(false);
    expect([...sut.entries()]).toEqual([entry(2, 12)]);
    replica.take(entry(3, 13));
    expect(sut.discardApplied([3], replica)).toBe(true);
    expect(sut.discardApplied([3], replica)).toBe(true);
    replica.take(entry(2, 14));
    expect(sut.discardApplied([2], replica)).toBe(false);
  });

  it('waits for the later of two changes of a user', () => {
    sut.add(entry(1, 11));
    sut.add(entry(1, 15));
    replica.take(entry(2, 13));
    expect(sut.discardApplied([2], replica)).toBe(false);
    replica.take(entry(2, 16));
    expect(sut.discardApplied([2], replica)).toBe(true);
  });

  it('agrees with a check of all entries, for any history', () => {
    const userId = fc.integer({ min: 1, max: 4 });
    const step = fc.oneof(
      fc.record({ kind: fc.constant('accepted' as const), userId, ahead: fc.nat(5) }),
      fc.record({ kind: fc.constant('replicated' as const), userId, ahead: fc.nat(3) }),
    );
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        replica = new CountingReplica();
        sut = new UnappliedChanges(defaultPresenceTiming);
        for (const { kind, ahead, ...given } of steps) {
          const one = entry(given.userId, replica.position + 1 + ahead, 1000 * ahead);
          if (kind === 'accepted') {
            sut.add(one);
            continue;
          }
          replica.take(one);
          const isOneLost = sut.discardApplied([one.userId], replica);
          const reference = new UnappliedChanges(defaultPresenceTiming);
          for (const known of sut.entries()) reference.add(known);
          expect(isOneLost).toBe(reference.discardAllApplied(replica));
        }
      }),
    );
  });

  it('returns the highest id of the remaining changes', () => {
    expect(sut.highestId).toBe(0);
    for (const id of [12, 20, 15]) sut.add(entry(id, id));
    expect(sut.highestId).toBe(20);
  });
});
