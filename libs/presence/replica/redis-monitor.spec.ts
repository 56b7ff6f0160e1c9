import { beforeEach, describe, expect, it } from '@jest/globals';
import { PresenceCounters } from '#presence/metrics';
import { defaultPresenceTiming, type RealmPosition } from '#presence/rules';
import { type PresenceStore, shardOf, shards } from '#presence/store';
import { RealmPresence } from './realm-presence.js';
import { RealmRegistry } from './realm-registry.js';
import { REALMS_PER_CHECK, RedisMonitor } from './redis-monitor.js';

/** Puts half of the realms into one shard, as an uneven distribution. */
const idOf = (index: number): number => (index % 2 === 0 ? 16 * index : index);

/** A Redis that records its requests. */
class CountingStore {
  asked: number[] = [];
  marks = 0;
  isMarkThere = true;
  failure: Error | undefined;

  async readMetas(_shard: number, realmIds: readonly number[]): Promise<(RealmPosition | null)[]> {
    if (this.failure) throw this.failure;
    this.asked.push(...realmIds);
    return realmIds.map(() => null);
  }

  async replaceMark(): Promise<boolean> {
    if (this.failure) throw this.failure;
    this.marks += 1;
    return this.isMarkThere;
  }
}

describe(RedisMonitor.name, () => {
  let store: CountingStore;
  let realms: RealmRegistry;
  let redis: { connectCount: number };
  let away: number[];
  let sut: RedisMonitor;

  beforeEach(() => {
    store = new CountingStore();
    away = [];
    redis = { connectCount: 1 };
    realms = new RealmRegistry(
      (realmId) =>
        new RealmPresence(
          realmId,
          // A realm without a replica does not call the store.
          store as unknown as PresenceStore,
          async () => [],
          () => undefined,
          new PresenceCounters(),
          defaultPresenceTiming,
        ),
    );
    const listener = {
      onRedisDown: (_error: unknown, ofShards: readonly number[]) => away.push(...ofShards),
      onRedisUp: async () => undefined,
    };
    sut = new RedisMonitor(store, realms, listener, redis);
  });

  async function addRealms(count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) realms.of(idOf(index));
    // The first check covers all realms.
    await sut.check();
    await forget();
  }

  async function forget(): Promise<void> {
    store.asked = [];
    store.marks = 0;
  }

  it('checks a limited number of realms per second', async () => {
    await addRealms(10_000);
    for (let check = 0; check < 5; check += 1) await sut.check();
    expect(store.asked.length).toBeLessThanOrEqual(5 * (REALMS_PER_CHECK + shards.length));
    expect(store.marks).toBe(5 * new Set(realms.all().map(({ realmId }) => shardOf(realmId))).size);
  });

  it('checks each realm in turn', async () => {
    await addRealms(10_000);
    for (let check = 0; check < 10_000 / REALMS_PER_CHECK; check += 1) await sut.check();
    expect(new Set(store.asked).size).toBe(10_000);
  });

  it('checks all realms each time if they are few', async () => {
    await addRealms(100);
    for (let check = 0; check < 2; check += 1) {
      await forget();
      await sut.check();
      expect(new Set(store.asked).size).toBe(100);
    }
  });

  it.each([
    ['its mark is gone', () => (store.isMarkThere = false)],
    ['there is another connection', () => (redis.connectCount += 1)],
  ])('checks all realms next time if %s', async (_, lose) => {
    await addRealms(3000);
    lose();
    await sut.check();
    expect(new Set(store.asked).size).toBe(3000);
  });

  it('checks all realms when Redis answers again', async () => {
    await addRealms(3000);
    store.failure = new Error('Command timed out');
    await sut.check();
    expect(new Set(away)).toEqual(new Set(shards));
    store.failure = undefined;
    await sut.check();
    expect(new Set(store.asked).size).toBe(3000);
    await forget();
    await sut.check();
    expect(store.asked.length).toBeLessThanOrEqual(REALMS_PER_CHECK + shards.length);
  });

  it('checks a realm each second until it is repaired', async () => {
    await addRealms(3000);
    const realm = realms.of(idOf(7));
    realm.check = async () => {
      throw new Error('Command timed out');
    };
    await sut.checkAll();
    for (let check = 0; check < 3; check += 1) {
      await forget();
      await sut.check();
      expect(store.asked).toContain(realm.realmId);
    }
  });

  it('checks all realms on request', async () => {
    await addRealms(3000);
    await sut.checkAll();
    expect(new Set(store.asked).size).toBe(3000);
  });
});
