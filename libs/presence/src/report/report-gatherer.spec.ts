import { beforeEach, describe, expect, it } from '@jest/globals';
import { defaultPresenceTiming } from '#contracts';
import { PresenceCounters } from '../presence-counters.js';
import { RealmPresence } from '../realm/realm-presence.js';
import type { PresenceStore, RealmSnapshot, ReportOutcome } from '../redis/presence.store.js';
import type { PresenceReport } from '../state/merge.rules.js';
import type { PresenceEntry } from '../state/presence-entry.js';
import { ReportGatherer } from './report-gatherer.js';

const EPOCH = 7;

/** A Redis in which every report is a change, until it is away. */
class FakeStore implements Pick<PresenceStore, 'report' | 'readSnapshot' | 'restore'> {
  readonly batches: PresenceReport[][] = [];
  isAway = false;
  #top = 0;

  async report(
    _realmId: number,
    _servedId: number,
    reports: readonly PresenceReport[],
  ): Promise<ReportOutcome> {
    if (this.isAway) throw new Error('away');
    this.batches.push([...reports]);
    const changes = reports.map(({ userId, activeAt, idleAt, joinedAt }) => {
      const previousId = this.#top;
      this.#top += 1;
      const times = { activeAt, idleAt, joinedAt, hiddenAt: 0 };
      const entry = { userId, ...times, isDeactivated: false, id: this.#top };
      return { entry, epoch: EPOCH, previousId };
    });
    return { epoch: EPOCH, isClockBehind: false, aheadReports: 0, changes };
  }

  async readSnapshot(): Promise<RealmSnapshot> {
    return {
      epoch: EPOCH,
      top: this.#top,
      latest: Infinity,
      entries: new Map<number, PresenceEntry>(),
    };
  }

  async restore(): Promise<void> {
    throw new Error('Nothing to restore');
  }
}

const report = (userId: number, at = 1000): PresenceReport => {
  return { userId, kind: 'merge', activeAt: at, idleAt: at, joinedAt: 1 };
};

describe(ReportGatherer.name, () => {
  let store: FakeStore;
  let counters: PresenceCounters;
  let realm: RealmPresence;
  let accepted: number[];
  let sut: ReportGatherer;

  beforeEach(async () => {
    store = new FakeStore();
    counters = new PresenceCounters();
    accepted = [];
    realm = new RealmPresence(
      1,
      // The gatherer's realm calls nothing else of the store.
      store as unknown as PresenceStore,
      async () => [],
      (_realmId, entry) => accepted.push(entry.userId),
      counters,
      defaultPresenceTiming,
    );
    await realm.load();
    sut = new ReportGatherer(1, () => realm, counters);
  });

  it('writes the reports of a moment in one call, and waits until the mirror has them', async () => {
    await Promise.all([1, 2, 3].map((userId) => sut.submit(realm, report(userId))));
    expect(store.batches.map((batch) => batch.length)).toEqual([3]);
    expect(realm.mirror?.get(3)?.activeAt).toBe(1000);
    expect(accepted).toEqual([1, 2, 3]);
  });

  it('does not wait for more than 32', async () => {
    sut = new ReportGatherer(60_000, () => realm, counters);
    const userIds = Array.from({ length: 64 }, (_, index) => index + 1);
    await Promise.all(userIds.map((userId) => sut.submit(realm, report(userId))));
    expect(store.batches.map((batch) => batch.length)).toEqual([32, 32]);
  });

  it('asks Redis nothing for a report that changes nothing', async () => {
    await sut.submit(realm, report(1, 1000));
    await sut.submit(realm, report(1, 1055));
    expect(store.batches).toHaveLength(1);
    expect(counters.suppressed).toBe(1);
    await sut.submit(realm, report(1, 1056));
    expect(store.batches).toHaveLength(2);
  });

  it('holds reports while Redis is away, merged by user, and writes them when it is back', async () => {
    store.isAway = true;
    await sut.submit(realm, report(1, 1000));
    expect(sut.isRedisAway()).toBe(true);
    await sut.submit(realm, report(1, 2000));
    await sut.submit(realm, report(2, 1500));
    expect(sut.heldUsers).toBe(2);
    store.isAway = false;
    await sut.redisIsBack();
    expect(store.batches).toEqual([[report(1, 2000), report(2, 1500)]]);
    expect(sut.heldUsers).toBe(0);
  });

  it('holds and saves no report with a time ahead of its own clock', async () => {
    sut = new ReportGatherer(
      1,
      () => realm,
      counters,
      () => 5_000_000,
    );
    store.isAway = true;
    await sut.submit(realm, report(1, 9000));
    store.isAway = false;
    await sut.redisIsBack();
    expect(store.batches).toEqual([[report(1, 5005)]]);
  });

  it('holds again what it could not write after all', async () => {
    sut.redisIsAway(new Error('away'));
    await sut.submit(realm, report(1));
    store.isAway = true;
    await sut.redisIsBack();
    expect(sut.heldUsers).toBe(1);
    expect(sut.isRedisAway()).toBe(true);
  });

  it('writes what it has gathered when it is drained', async () => {
    sut = new ReportGatherer(60_000, () => realm, counters);
    const submitted = sut.submit(realm, report(1));
    await sut.drain();
    await submitted;
    expect(store.batches).toHaveLength(1);
  });
});
