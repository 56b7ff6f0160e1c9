import { beforeEach, describe, expect, it } from '@jest/globals';
import { defectCounts } from '#platform/core';
import { PresenceCounters } from '#presence/metrics';
import {
  defaultPresenceTiming,
  type PresenceChange,
  type PresenceEntry,
  type PresenceReport,
  type RealmPosition,
} from '#presence/rules';
import type { PresenceStore, RealmSnapshot, ReportOutcome, RestoreOutcome } from '#presence/store';
import { publishActivations } from './activations.js';
import { RealmPresence } from './realm-presence.js';

const entry = (userId: number, id: number): PresenceEntry => {
  return {
    userId,
    activeAt: 1000,
    idleAt: 1000,
    joinedAt: 1,
    hiddenAt: 0,
    isDeactivated: false,
    id,
  };
};

/** The same in all changes of one history. */
const CHAIN = 1;

const snapshot = (epoch: number, top: number, ...entries: PresenceEntry[]): RealmSnapshot => {
  return {
    epoch,
    top,
    chain: CHAIN,
    latest: Infinity,
    entries: new Map(entries.map((one) => [one.userId, one])),
  };
};

const following = (
  changed: PresenceEntry,
  previousId: number,
  previousChain = CHAIN,
): PresenceChange => {
  return { entry: changed, previousId, previousChain, chain: previousChain };
};

/** A Redis with a given state, which may be unavailable for reports. */
class FakeStore implements Pick<PresenceStore, 'report' | 'readSnapshot' | 'restore'> {
  readonly reports: PresenceReport[][] = [];
  readonly restored: number[][] = [];
  snapshots = 0;
  takesReports = true;
  failure: Error | undefined;
  /** Snapshots are read after it. */
  ready: Promise<void> | undefined;

  constructor(public state: RealmSnapshot) {}

  async report(
    _realmId: number,
    servedId: number,
    reports: readonly PresenceReport[],
  ): Promise<ReportOutcome> {
    if (!this.takesReports) throw new Error('away');
    this.reports.push([...reports]);
    const changes = reports.map(({ userId }, index) => ({
      entry: entry(userId, servedId + 1 + index),
      previousId: index === 0 ? this.state.top : servedId + index,
      previousChain: this.state.chain,
      chain: this.state.chain,
    }));
    return { epoch: this.state.epoch, isClockBehind: false, aheadReports: 0, changes };
  }

  async readSnapshot(): Promise<RealmSnapshot> {
    this.snapshots += 1;
    await this.ready;
    if (this.failure) throw this.failure;
    return this.state;
  }

  async restore(
    _realmId: number,
    _servedId: number,
    lost: readonly PresenceEntry[],
  ): Promise<RestoreOutcome> {
    this.restored.push(lost.map(({ userId }) => userId));
    const { epoch, top, entries } = this.state;
    this.state = snapshot(epoch, top, ...entries.values(), ...lost);
    return 'stored';
  }
}

describe(RealmPresence.name, () => {
  let store: FakeStore;
  let saved: PresenceEntry[];
  let isPostgresAway: boolean;
  let unsaved: number[];
  let sut: RealmPresence;

  beforeEach(() => {
    store = new FakeStore(snapshot(7, 100, entry(1, 90)));
    saved = [entry(1, 90)];
    isPostgresAway = false;
    unsaved = [];
    sut = new RealmPresence(
      1,
      // A realm calls only these methods of the store.
      store as unknown as PresenceStore,
      async () => {
        if (isPostgresAway) throw new Error('away');
        return saved;
      },
      (_realmId, { userId }) => unsaved.push(userId),
      new PresenceCounters(),
      defaultPresenceTiming,
    );
  });

  /** A check that reads the position of Redis now. */
  const check = (meta: RealmPosition | null) => sut.check(meta, sut.highestKnownId);

  it.each([
    ['an outage of a store', new Error('Command timed out'), 0],
    ['a defect', new TypeError('x is not a function'), 1],
  ])('is provisional after a load that fails by %s', async (_, failure, defects) => {
    const counted = () => defectCounts().get('RealmPresence') ?? 0;
    const before = counted();
    store.failure = failure;
    await sut.load();
    expect(sut.replica?.isComplete).toBe(false);
    expect(counted() - before).toBe(defects);
  });

  it('is loaded once for any number of callers', async () => {
    await Promise.all(Array.from({ length: 100 }, () => sut.load()));
    await sut.load();
    expect(store.snapshots).toBe(1);
    expect(sut.position).toBe(100);
  });

  it('saves entries that PostgreSQL lacks after the first load', async () => {
    store.state = snapshot(7, 100, entry(1, 90), entry(2, 95), entry(3, 100));
    saved = [entry(1, 90), entry(2, 94)];
    await sut.load();
    expect(unsaved).toEqual([2, 3]);
  });

  it('is loaded at the next check after a write without a replica', async () => {
    await check(null);
    expect(store.snapshots).toBe(0);
    await sut.write([{ ...entry(2, 0), kind: 'merge' }]);
    expect(sut.isSynced).toBe(false);
    store.state = snapshot(7, 101, entry(1, 90), entry(2, 101));
    await check({ epoch: 7, top: 101, chain: CHAIN });
    expect(sut.position).toBe(101);
    expect(sut.isSynced).toBe(true);
  });

  describe('after a user has gone invisible', () => {
    const hide: PresenceReport = {
      userId: 1,
      kind: 'hide',
      activeAt: 0,
      idleAt: 1100,
      joinedAt: 1,
    };

    it('shows the user as invisible at once, and publishes the change at the next check', async () => {
      await sut.load();
      sut.applyVisibility(hide);
      expect(sut.replica?.node(1)?.shown.idleAt).toBe(1100 - 320);
      expect(sut.isSynced).toBe(false);
      await check({ epoch: 7, top: 100, chain: CHAIN });
      expect(store.reports).toEqual([[hide]]);
    });

    it('does not publish a change that is already published', async () => {
      await sut.load();
      sut.applyVisibility(hide);
      sut.follow(following({ ...entry(1, 101), hiddenAt: 1100 }, 100));
      await check({ epoch: 7, top: 101, chain: CHAIN });
      expect(store.reports).toEqual([]);
      expect(sut.isSynced).toBe(true);
    });

    it('does not publish a change that the loaded state of Redis has', async () => {
      store.state = snapshot(7, 101, { ...entry(1, 101), hiddenAt: 1100 });
      sut.applyVisibility(hide);
      await sut.load();
      expect(store.reports).toEqual([]);
      expect(sut.isSynced).toBe(true);
    });

    it('publishes the change of a realm without a replica', async () => {
      sut.applyVisibility(hide);
      await check({ epoch: 7, top: 100, chain: CHAIN });
      expect(store.reports).toEqual([[hide]]);
    });
  });

  it('saves reports that Redis cannot take, once per time and with rising ids', async () => {
    await sut.load();
    for (const at of [1020, 1100, 1200]) {
      sut.saveBuffered({ userId: 1, kind: 'merge', activeAt: at, idleAt: at, joinedAt: 1 });
    }
    expect(unsaved).toEqual([1, 1]);
  });

  it('publishes deactivated accounts', async () => {
    await sut.load();
    const deactivated = new Set([1, 2]);
    await publishActivations(sut, { get: () => undefined, deactivated });
    expect(store.reports).toMatchObject([[{ userId: 1, kind: 'deactivate' }]]);
  });

  describe('when Redis has lost changes of other processes', () => {
    beforeEach(async () => {
      await sut.load();
      saved = [entry(1, 90), entry(2, 99)];
      store.state = snapshot(8, 100);
    });

    it('restores its own entries and those of PostgreSQL', async () => {
      await check({ epoch: 8, top: 100, chain: CHAIN });
      expect(store.restored).toEqual([[1, 2]]);
      expect(sut.replica?.get(2)).toBeDefined();
    });

    it('restores its own entries while PostgreSQL is unavailable', async () => {
      isPostgresAway = true;
      await check({ epoch: 8, top: 100, chain: CHAIN });
      expect(store.restored).toEqual([[1]]);
    });
  });

  it('does not read PostgreSQL after a gap in the stream', async () => {
    await sut.load();
    saved = [entry(1, 90), entry(2, 99)];
    await sut.reload('gap');
    expect(store.restored).toEqual([]);
  });

  it('restores a change that Redis has lost while the realm was reloaded', async () => {
    await sut.load();
    let release: () => void = () => undefined;
    store.ready = new Promise((resolve) => {
      release = resolve;
    });
    const reloading = sut.reload('gap');
    sut.follow(following(entry(2, 101), 100));
    // Another process has restored the realm, and later changes hide that an id is missing.
    store.state = snapshot(8, 110, entry(1, 90), entry(3, 110));
    release();
    await reloading;
    expect(store.restored).toEqual([]);
    await check(store.state);
    expect(store.restored).toEqual([[2]]);
    expect(sut.isSynced).toBe(true);
  });

  describe('when a server without the last changes takes over', () => {
    beforeEach(() => sut.load());

    it('restores its entries after a change of another history', async () => {
      store.state = { ...snapshot(7, 100, entry(2, 100)), chain: CHAIN + 1 };
      sut.follow(following(entry(3, 101), 100, CHAIN + 1));
      await sut.reload('lost');
      expect(store.restored).toEqual([[1]]);
    });

    it('restores its entries without further changes', async () => {
      store.state = { ...snapshot(7, 100, entry(2, 100)), chain: CHAIN + 1 };
      await check(store.state);
      expect(store.restored).toEqual([[1]]);
    });

    it('republishes a change whose id clients already have', async () => {
      store.state = snapshot(7, 95, entry(1, 90));
      await check(store.state);
      sut.follow(following(entry(5, 96), 95));
      expect(sut.isSynced).toBe(false);
      await check({ epoch: 7, top: 96, chain: CHAIN });
      expect(store.reports.map(([one]) => one?.userId)).toEqual([5]);
    });
  });

  describe('when Redis has gone back and has entries below the cursors of clients', () => {
    const goneBack = snapshot(8, 95, entry(1, 90), entry(5, 95));

    beforeEach(async () => {
      await sut.load();
      store.state = goneBack;
    });

    it('republishes them above the cursors', async () => {
      await check(goneBack);
      expect(store.reports.map(([one]) => one?.userId)).toEqual([5]);
      expect(sut.position).toBe(101);
    });

    it('republishes them later if Redis is unavailable', async () => {
      store.takesReports = false;
      await expect(check(goneBack)).rejects.toThrow('away');
      expect(sut.isSynced).toBe(false);
      store.takesReports = true;
      await check(goneBack);
      expect(store.reports.map(([one]) => one?.userId)).toEqual([5]);
      expect(sut.isSynced).toBe(true);
    });
  });
});
