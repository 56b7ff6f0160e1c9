import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { PresenceCounters } from '#presence/metrics';
import { RealmPresence } from '#presence/replica';
import { defaultPresenceTiming, type PresenceEntry, type PresenceReport } from '#presence/rules';
import {
  type PresenceStore,
  type RealmSnapshot,
  type ReportOutcome,
  shards,
} from '#presence/store';
import { ReportBatcher } from './report-batcher.js';

const BATCH_MS = 1;
const EPOCH = 7;
/** The same in all changes, since no change is lost here. */
const CHAIN = 1;

/** A Redis in which every report is a change, until it is down. */
class FakeStore implements Pick<PresenceStore, 'report' | 'readSnapshot' | 'restore'> {
  readonly batches: PresenceReport[][] = [];
  isDown = false;
  /** How long Redis takes to answer. */
  answersAfterMs = 0;
  #top = 0;

  async report(
    _realmId: number,
    _servedId: number,
    reports: readonly PresenceReport[],
  ): Promise<ReportOutcome> {
    if (this.answersAfterMs > 0) {
      await new Promise((resolve) => {
        setTimeout(resolve, this.answersAfterMs);
      });
    }
    if (this.isDown) throw new Error('down');
    this.batches.push([...reports]);
    const changes = reports.map(({ userId, activeAt, idleAt, joinedAt }) => {
      const previousId = this.#top;
      this.#top += 1;
      const times = { activeAt, idleAt, joinedAt, hiddenAt: 0 };
      const entry = { userId, ...times, isDeactivated: false, id: this.#top };
      return { entry, previousId, previousChain: CHAIN, chain: CHAIN };
    });
    return { epoch: EPOCH, isClockBehind: false, aheadReports: 0, changes };
  }

  /** Another process has written a change. */
  skipsId(): void {
    this.#top += 1;
  }

  async readSnapshot(): Promise<RealmSnapshot> {
    return {
      epoch: EPOCH,
      top: this.#top,
      chain: CHAIN,
      latest: Infinity,
      entries: new Map<number, PresenceEntry>(),
    };
  }

  async restore(): Promise<never> {
    throw new Error('Nothing to restore');
  }
}

const report = (userId: number, at = 1000): PresenceReport => {
  return { userId, kind: 'merge', activeAt: at, idleAt: at, joinedAt: 1 };
};

describe(ReportBatcher.name, () => {
  let store: FakeStore;
  let counters: PresenceCounters;
  let realm: RealmPresence;
  let accepted: number[];
  let sut: ReportBatcher;

  beforeEach(async () => {
    store = new FakeStore();
    counters = new PresenceCounters();
    accepted = [];
    realm = new RealmPresence(
      1,
      // The batcher's realm calls only these methods of the store.
      store as unknown as PresenceStore,
      async () => [],
      (_realmId, entry) => accepted.push(entry.userId),
      counters,
      defaultPresenceTiming,
    );
    await realm.load();
    sut = new ReportBatcher(BATCH_MS, () => realm, counters);
  });

  it('writes concurrent reports in one call, and waits until the replica has them', async () => {
    await Promise.all([1, 2, 3].map((userId) => sut.submit(realm, report(userId))));
    expect(store.batches.map((batch) => batch.length)).toEqual([3]);
    expect(realm.replica?.get(3)?.activeAt).toBe(1000);
    expect(accepted).toEqual([1, 2, 3]);
  });

  describe('waits, after the time of a batch,', () => {
    const onSettled = jest.fn();

    beforeEach(() => {
      jest.useFakeTimers();
      onSettled.mockClear();
    });

    afterEach(() => {
      jest.useRealTimers();
    });

    const submit = () => void sut.submit(realm, report(1)).then(onSettled);

    it('for a slow Redis, so that the answer has the report', async () => {
      store.answersAfterMs = 450;
      submit();
      await jest.advanceTimersByTimeAsync(450);
      expect(onSettled).not.toHaveBeenCalled();
      await jest.advanceTimersByTimeAsync(BATCH_MS + 1);
      expect(onSettled).toHaveBeenCalled();
      expect(realm.replica?.get(1)?.activeAt).toBe(1000);
    });

    it('for 50 ms at most for a replica that lacks changes of another process', async () => {
      store.skipsId();
      submit();
      await jest.advanceTimersByTimeAsync(BATCH_MS + 49);
      expect(onSettled).not.toHaveBeenCalled();
      await jest.advanceTimersByTimeAsync(2);
      expect(onSettled).toHaveBeenCalled();
      expect(realm.replica?.get(1)).toBeUndefined();
      expect(realm.unappliedChange(1)?.activeAt).toBe(1000);
    });

    it('for half a second at most for a Redis that hangs', async () => {
      store.answersAfterMs = 2000;
      submit();
      await jest.advanceTimersByTimeAsync(BATCH_MS + 499);
      expect(onSettled).not.toHaveBeenCalled();
      await jest.advanceTimersByTimeAsync(2);
      expect(onSettled).toHaveBeenCalled();
    });
  });

  it('does not wait after 32 reports', async () => {
    sut = new ReportBatcher(60_000, () => realm, counters);
    const userIds = Array.from({ length: 64 }, (_, index) => index + 1);
    await Promise.all(userIds.map((userId) => sut.submit(realm, report(userId))));
    expect(store.batches.map((batch) => batch.length)).toEqual([32, 32]);
  });

  it('does not call Redis for a report that changes nothing', async () => {
    await sut.submit(realm, report(1, 1000));
    await sut.submit(realm, report(1, 1055));
    expect(store.batches).toHaveLength(1);
    expect(counters.suppressed).toBe(1);
    await sut.submit(realm, report(1, 1056));
    expect(store.batches).toHaveLength(2);
  });

  it('buffers reports per user while Redis is unavailable, and writes them later', async () => {
    store.isDown = true;
    await sut.submit(realm, report(1, 1000));
    expect(sut.isRedisDown()).toBe(true);
    await sut.submit(realm, report(1, 2000));
    await sut.submit(realm, report(2, 1500));
    expect(sut.bufferedUsers).toBe(2);
    store.isDown = false;
    await sut.onRedisUp();
    expect(store.batches).toEqual([[report(1, 2000), report(2, 1500)]]);
    expect(sut.bufferedUsers).toBe(0);
  });

  it('reduces times ahead of its own clock in buffered and saved reports', async () => {
    sut = new ReportBatcher(
      1,
      () => realm,
      counters,
      () => 5_000_000,
    );
    store.isDown = true;
    await sut.submit(realm, report(1, 9000));
    store.isDown = false;
    await sut.onRedisUp();
    expect(store.batches).toEqual([[report(1, 5005)]]);
  });

  it('buffers reports again that it could not write', async () => {
    sut.onRedisDown(new Error('down'));
    await sut.submit(realm, report(1));
    store.isDown = true;
    await sut.onRedisUp();
    expect(sut.bufferedUsers).toBe(1);
    expect(sut.isRedisDown()).toBe(true);
  });

  it('logs an outage once while Redis answers and refuses to write, and its end', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
    const log = jest.spyOn(Logger.prototype, 'log').mockReturnValue(undefined);
    // Defects are logged elsewhere.
    const error = jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
    store.isDown = true;
    await sut.submit(realm, report(1));
    const everyShard = async () => {
      await Promise.all(shards.map((shard) => sut.onRedisUp([shard])));
    };
    for (let second = 0; second < 3; second += 1) await everyShard();
    expect(warn.mock.calls).toEqual([['Redis is down, reports are buffered: down']]);
    expect(log).not.toHaveBeenCalled();
    store.isDown = false;
    await everyShard();
    expect(log.mock.calls).toEqual([['Reports are written again']]);
    for (const spy of [warn, log, error]) spy.mockRestore();
  });

  it('writes the open batches on drain', async () => {
    sut = new ReportBatcher(60_000, () => realm, counters);
    const submitted = sut.submit(realm, report(1));
    await sut.drain();
    await submitted;
    expect(store.batches).toHaveLength(1);
  });
});
