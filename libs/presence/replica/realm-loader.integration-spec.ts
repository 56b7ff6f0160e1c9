import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { closeRedis, openRedis, type Redis, untilReady } from '#platform/redis';
import { PresenceCounters } from '#presence/metrics';
import { defaultPresenceTiming, type PresenceEntry } from '#presence/rules';
import { keysOf, PresenceStore, type RestoreOutcome } from '#presence/store';
import { ThrowawayRedis } from '#test/throwaway-redis';
import { RealmPresence } from './realm-presence.js';
import { RESTORED_AT_ONCE, RealmRestorer } from './realm-loader.js';

const MANY_USERS = 20_000;

const entriesOf = (count: number): PresenceEntry[] =>
  Array.from({ length: count }, (_, index) => {
    const at = 1_700_000_000 + (index % 1000);
    const times = { activeAt: at, idleAt: at, joinedAt: 1, hiddenAt: 0 };
    return { userId: index + 1, ...times, isDeactivated: false, id: at * 1_000_000 + index };
  });

/** A store that records the slices it sends, and whose process a test can end. */
class WatchedStore extends PresenceStore {
  readonly taken: number[] = [];
  diesAfter = Infinity;

  override async restore(...args: Parameters<PresenceStore['restore']>): Promise<RestoreOutcome> {
    if (this.taken.length >= this.diesAfter) throw new Error('The process is gone');
    const outcome = await super.restore(...args);
    if (outcome === 'stored') this.taken.push(args[2].length);
    return outcome;
  }
}

describe(RealmRestorer.name, () => {
  let server: ThrowawayRedis;
  let redis: Redis;
  let realmId: number;
  let stores: WatchedStore[];

  // Its own server, because the test reads its counters.
  beforeAll(async () => {
    server = await ThrowawayRedis.start();
    redis = openRedis(server.url, 'tests');
    await untilReady(redis, 5000);
  });

  afterAll(async () => {
    await closeRedis(redis);
    await server.remove();
  });

  beforeEach(() => {
    realmId = randomInt(1_000_000, 2 ** 31);
    stores = [];
  });

  /** The realm in another process, with these entries in PostgreSQL. */
  function realmOf(saved: readonly PresenceEntry[]): [RealmPresence, WatchedStore] {
    const store = new WatchedStore(redis, defaultPresenceTiming);
    stores.push(store);
    const realm = new RealmPresence(
      realmId,
      store,
      async () => [...saved],
      () => undefined,
      new PresenceCounters(),
      defaultPresenceTiming,
    );
    return [realm, store];
  }

  const lose = () => redis.unlink(...(Object.values(keysOf(realmId)) as string[]));

  const sliceCount = () => stores.flatMap(({ taken }) => taken).length;

  it('sends at most a thousand users per call, for any size of the realm', async () => {
    const users = 40 * RESTORED_AT_ONCE;
    // The first call loads the script into Redis.
    await realmOf([])[0].reload('first');
    realmId = randomInt(1_000_000, 2 ** 31);
    const [realm, store] = realmOf(entriesOf(users));
    await redis.config('RESETSTAT');
    await realm.reload('first');
    const [, calls] = /cmdstat_evalsha:calls=(\d+)/.exec(await redis.info('commandstats')) ?? [];
    expect(Number(calls)).toBe(users / RESTORED_AT_ONCE);
    expect(store.taken.every((count) => count <= RESTORED_AT_ONCE)).toBe(true);
    expect(realm.replica?.size).toBe(users);
  });

  it('is done by one process at a time', async () => {
    const entries = entriesOf(MANY_USERS);
    const realms = [realmOf(entries), realmOf(entries), realmOf(entries)];
    await Promise.all(realms.map(([realm]) => realm.reload('first')));
    expect(sliceCount()).toBe(MANY_USERS / RESTORED_AT_ONCE);
    await lose();
    await Promise.all(realms.map(([realm]) => realm.check(null, realm.highestKnownId)));
    expect(sliceCount()).toBe((2 * MANY_USERS) / RESTORED_AT_ONCE);
    for (const [realm] of realms) expect(realm.replica?.size).toBe(MANY_USERS);
  });

  it('answers from memory during the restoration', async () => {
    const [realm] = realmOf(entriesOf(10 * RESTORED_AT_ONCE));
    await realm.reload('first');
    const before = realm.replica;
    await lose();
    const restored = realm.check(null, realm.highestKnownId);
    expect(await realm.caughtUpReplica()).toBe(before);
    await restored;
    expect(realm.replica).not.toBe(before);
    expect(realm.replica?.position).toBe(before?.position);
  });

  it('is finished by another process if a process stops half-way', async () => {
    const entries = entriesOf(10 * RESTORED_AT_ONCE);
    // The entries that only the first process restored are not lost either.
    const [first, firstStore] = realmOf(entries);
    const [second, secondStore] = realmOf(entries.slice(RESTORED_AT_ONCE));
    firstStore.diesAfter = 3;
    await expect(first.reload('first')).rejects.toThrow('The process is gone');
    await second.reload('first');
    expect(secondStore.taken).toHaveLength(9);
    expect(second.replica?.size).toBe(entries.length);
    expect(second.replica?.position).toBe(entries.at(-1)?.id);
  });

  it('starts again if Redis is flushed half-way', async () => {
    const entries = entriesOf(5 * RESTORED_AT_ONCE);
    const [realm, store] = realmOf(entries);
    const restore = store.restore.bind(store);
    store.restore = async (...args) => {
      const outcome = await restore(...args);
      if (store.taken.length === 3) await lose();
      return outcome;
    };
    await realm.reload('first');
    expect(realm.replica?.size).toBe(entries.length);
    expect(store.taken).toHaveLength(8);
  });
});
