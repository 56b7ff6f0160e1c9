import { beforeEach, describe, expect, it } from '@jest/globals';
import { defaultPresenceTiming } from '#presence/rules';
import { PresenceCounters } from '#presence/metrics';
import type { PresenceStore, RealmSnapshot } from '#presence/store';
import { RealmPresence } from './realm-presence.js';
import { RealmRegistry } from './realm-registry.js';

const HOUR_MS = 3_600_000;

/** A Redis with empty realms, which can delay its answers. */
class FakeStore implements Pick<PresenceStore, 'readSnapshot'> {
  answering: Promise<void> = Promise.resolve();

  async readSnapshot(): Promise<RealmSnapshot> {
    await this.answering;
    return { epoch: 7, top: 5, chain: 1, latest: Infinity, entries: new Map() };
  }
}

describe(RealmRegistry.name, () => {
  let nowMs: number;
  let dropped: number[];
  let store: FakeStore;
  let sut: RealmRegistry;

  beforeEach(() => {
    nowMs = 0;
    dropped = [];
    store = new FakeStore();
    const create = (realmId: number) =>
      new RealmPresence(
        realmId,
        // A realm that is only loaded calls only these methods of the store.
        store as unknown as PresenceStore,
        async () => [],
        () => undefined,
        new PresenceCounters(),
        defaultPresenceTiming,
      );
    sut = new RealmRegistry(create, {
      nowMs: () => nowMs,
      onDropped: (realmId) => dropped.push(realmId),
    });
  });

  it('returns the same realm to all callers', () => {
    expect(sut.of(1)).toBe(sut.of(1));
    expect(sut.all()).toHaveLength(1);
  });

  it('drops a realm that was not used for an hour, and reports it', async () => {
    const [used, unused] = [sut.of(1), sut.of(2)];
    await Promise.all([used.load(), unused.load()]);
    nowMs = HOUR_MS - 1;
    sut.of(1);
    sut.dropIfUnused(unused);
    expect(dropped).toEqual([]);
    nowMs = HOUR_MS;
    for (const realm of [used, unused]) sut.dropIfUnused(realm);
    expect(dropped).toEqual([2]);
    expect(sut.all()).toEqual([used]);
    expect(sut.of(2)).not.toBe(unused);
  });

  it('keeps a realm while one of its operations is in progress', async () => {
    const realm = sut.of(1);
    let answer: () => void = () => undefined;
    store.answering = new Promise((resolve) => {
      answer = resolve;
    });
    const loading = realm.load();
    nowMs = HOUR_MS;
    sut.dropIfUnused(realm);
    expect(dropped).toEqual([]);
    answer();
    await loading;
    sut.dropIfUnused(realm);
    expect(dropped).toEqual([1]);
  });

  it('keeps a realm with state that only this process has', async () => {
    const realm = sut.of(1);
    // Neither Redis nor PostgreSQL could be read: the replica is provisional.
    store.answering = Promise.reject(new Error('away'));
    await realm.load();
    nowMs = HOUR_MS;
    sut.dropIfUnused(realm);
    expect(dropped).toEqual([]);
  });
});
