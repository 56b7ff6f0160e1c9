import { beforeEach, describe, expect, it } from '@jest/globals';
import { defaultPresenceTiming } from '#contracts';
import { PresenceCounters } from '../presence-counters.js';
import type { PresenceStore, RealmSnapshot, ReportOutcome } from '../redis/presence.store.js';
import type { PresenceReport } from '../state/merge.rules.js';
import type { PresenceEntry } from '../state/presence-entry.js';
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

const snapshot = (epoch: number, top: number, ...entries: PresenceEntry[]): RealmSnapshot => {
  return {
    epoch,
    top,
    latest: Infinity,
    entries: new Map(entries.map((one) => [one.userId, one])),
  };
};

/** A Redis that has what a test says, and may be away for reports. */
class FakeStore implements Pick<PresenceStore, 'report' | 'readSnapshot' | 'restore'> {
  readonly reports: PresenceReport[][] = [];
  readonly restored: number[][] = [];
  snapshots = 0;
  takesReports = true;

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
      epoch: this.state.epoch,
      previousId: index === 0 ? this.state.top : servedId + index,
    }));
    return { epoch: this.state.epoch, isClockBehind: false, aheadReports: 0, changes };
  }

  async readSnapshot(): Promise<RealmSnapshot> {
    this.snapshots += 1;
    return this.state;
  }

  async restore(
    _realmId: number,
    _servedId: number,
    lost: readonly PresenceEntry[],
  ): Promise<void> {
    this.restored.push(lost.map(({ userId }) => userId));
    const { epoch, top, entries } = this.state;
    this.state = snapshot(epoch, top, ...entries.values(), ...lost);
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
      // A realm calls nothing else of the store.
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

  it('is read once, however many wait for it', async () => {
    await Promise.all(Array.from({ length: 100 }, () => sut.load()));
    await sut.load();
    expect(store.snapshots).toBe(1);
    expect(sut.position).toBe(100);
  });

  it('has brought to PostgreSQL what that lacks when it is first read', async () => {
    store.state = snapshot(7, 100, entry(1, 90), entry(2, 95), entry(3, 100));
    saved = [entry(1, 90), entry(2, 94)];
    await sut.load();
    expect(unsaved).toEqual([2, 3]);
  });

  it('is read at the next check when it was only written to, so that it can be brought back', async () => {
    await sut.check(null);
    expect(store.snapshots).toBe(0);
    await sut.write([{ ...entry(2, 0), kind: 'merge' }]);
    expect(sut.isAtRest).toBe(false);
    store.state = snapshot(7, 101, entry(1, 90), entry(2, 101));
    await sut.check({ epoch: 7, top: 101 });
    expect(sut.position).toBe(101);
    expect(sut.isAtRest).toBe(true);
  });

  describe('told that somebody has gone invisible', () => {
    const hide: PresenceReport = {
      userId: 1,
      kind: 'hide',
      activeAt: 0,
      idleAt: 1100,
      joinedAt: 1,
    };

    it('tells so at once, and publishes it at the next check, should nobody else do it', async () => {
      await sut.load();
      sut.noteVisibility(hide);
      expect(sut.mirror?.node(1)?.shown.idleAt).toBe(1100 - 320);
      expect(sut.isAtRest).toBe(false);
      await sut.check({ epoch: 7, top: 100 });
      expect(store.reports).toEqual([[hide]]);
    });

    it('leaves the publishing to who has done it', async () => {
      await sut.load();
      sut.noteVisibility(hide);
      sut.follow({ entry: { ...entry(1, 101), hiddenAt: 1100 }, previousId: 100, epoch: 7 });
      await sut.check({ epoch: 7, top: 101 });
      expect(store.reports).toEqual([]);
      expect(sut.isAtRest).toBe(true);
    });

    it('publishes it also where nobody has asked for the realm', async () => {
      sut.noteVisibility(hide);
      await sut.check({ epoch: 7, top: 100 });
      expect(store.reports).toEqual([[hide]]);
    });
  });

  it('has saved what Redis cannot be told, above what is known and once for each time', async () => {
    await sut.load();
    for (const at of [1020, 1100, 1200]) {
      sut.saveHeld({ userId: 1, kind: 'merge', activeAt: at, idleAt: at, joinedAt: 1 });
    }
    expect(unsaved).toEqual([1, 1]);
  });

  it('publishes who is out of use', async () => {
    await sut.load();
    const deactivated = new Set([1, 2]);
    await sut.followDirectory({ get: () => undefined, deactivated });
    expect(store.reports).toMatchObject([[{ userId: 1, kind: 'deactivate' }]]);
  });

  describe('when Redis has lost what others had accepted', () => {
    beforeEach(async () => {
      await sut.load();
      saved = [entry(1, 90), entry(2, 99)];
      store.state = snapshot(8, 100);
    });

    it('brings back what it knows and what only PostgreSQL does', async () => {
      await sut.check({ epoch: 8, top: 100 });
      expect(store.restored).toEqual([[1, 2]]);
      expect(sut.mirror?.get(2)).toBeDefined();
    });

    it('brings back what it knows while PostgreSQL is away', async () => {
      isPostgresAway = true;
      await sut.check({ epoch: 8, top: 100 });
      expect(store.restored).toEqual([[1]]);
    });
  });

  it('does not ask PostgreSQL for what it has missed of the stream', async () => {
    await sut.load();
    saved = [entry(1, 90), entry(2, 99)];
    await sut.reload('gap');
    expect(store.restored).toEqual([]);
  });

  describe('when Redis has gone back and has what clients would not be told of', () => {
    const goneBack = snapshot(8, 95, entry(1, 90), entry(5, 95));

    beforeEach(async () => {
      await sut.load();
      store.state = goneBack;
    });

    it('publishes it anew, above what they were told', async () => {
      await sut.check(goneBack);
      expect(store.reports.map(([one]) => one?.userId)).toEqual([5]);
      expect(sut.position).toBe(101);
    });

    it('does so also when Redis is away just then', async () => {
      store.takesReports = false;
      await expect(sut.check(goneBack)).rejects.toThrow('away');
      expect(sut.isAtRest).toBe(false);
      store.takesReports = true;
      await sut.check(goneBack);
      expect(store.reports.map(([one]) => one?.userId)).toEqual([5]);
      expect(sut.isAtRest).toBe(true);
    });
  });
});
