import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type PresenceRuntime } from '#presence/server';
import { keysOf } from '#presence/store';
import { eventually } from '#test/eventually';
import { startSwitchableProxy, type SwitchableProxy } from '#test/switchable-proxy';
import { nowSeconds, parseAnswer, PresenceRealm, usersIn } from '#test/presence-realm';
import { RedisPair } from '#test/redis-pair';
import { startPresence } from '#test/start-presence';
import { createTestDatabase, type TestDatabase } from '#test/test-stores';

/** Ids continue by one from here, as if the clock of Redis had been ahead. */
const AHEAD_MS = 200_000;

describe('The promotion of a replica that lagged', () => {
  let stores: TestDatabase;
  let redis: RedisPair;
  let proxies: SwitchableProxy[];
  let processes: PresenceRuntime[];
  let realm: PresenceRealm;
  let users: number[];

  beforeAll(async () => {
    [stores, redis] = await Promise.all([createTestDatabase(), RedisPair.start()]);
    proxies = [await startSwitchableProxy(redis.url), await startSwitchableProxy(redis.url)];
    processes = await Promise.all(
      proxies.map(({ url }) => startPresence(stores.database, { redisUrl: url })),
    );
    realm = await PresenceRealm.create(stores.database);
    users = await realm.addUsers(4);
  });

  afterAll(async () => {
    await Promise.all(processes.map((runtime) => runtime.stop()));
    await Promise.all(proxies.map((proxy) => proxy.stop()));
    await redis.remove();
    await stores.drop();
  });

  const poll = async (runtime: PresenceRuntime, cursor = -1) =>
    parseAnswer(await runtime.service.report(realm.poll(users[0] ?? 0, cursor)));

  it('skips nothing if it allocates the same ids to other changes', async () => {
    const [first, second] = processes as [PresenceRuntime, PresenceRuntime];
    const [ann = 0, ben = 0, cat = 0, dan = 0] = users;
    const at = nowSeconds() - 3600;
    const report = (runtime: PresenceRuntime, userId: number, reportedAt: number) =>
      runtime.service.report(realm.request(userId, { reportedAt }));
    await report(first, ann, at);
    const { meta } = keysOf(realm.id);
    await redis.run((connection) =>
      connection.hset(meta, 'top', String((Date.now() + AHEAD_MS) * 1000)),
    );
    await report(first, ben, at);
    await eventually(async () => expect(usersIn(await poll(second))).toEqual([ann, ben]));
    redis.lag();
    // Only the primary has this change, and a client of the first process gets it.
    await report(first, cat, at);
    await eventually(async () => expect(usersIn(await poll(first))).toEqual([ann, ben, cat]));
    const { presence_last_update_id: cursor } = await poll(first);
    proxies.forEach((proxy) => proxy.stall());
    await redis.promote();
    for (const proxy of proxies) {
      proxy.switchTo(redis.url);
      proxy.resume();
    }
    await eventually(async () => {
      await report(second, dan, at);
      const top = await redis.run((connection) => connection.hget(meta, 'top'));
      expect(Number(top)).toBeGreaterThanOrEqual(cursor);
    });
    await eventually(async () => {
      expect(usersIn(await poll(first, cursor))).toContain(dan);
      for (const runtime of processes) expect(usersIn(await poll(runtime))).toEqual(users);
    });
  });
});
