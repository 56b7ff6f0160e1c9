import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PresenceRuntime } from '#presence/server';
import { eventually } from '#test/eventually';
import { nowSeconds, parseAnswer, PresenceRealm, usersIn } from '#test/presence-realm';
import { startPresence } from '#test/start-presence';
import { createTestDatabase, type TestDatabase } from '#test/test-stores';
import { ThrowawayRedis } from '#test/throwaway-redis';

const FULL_BATCH = 32;
const SHARDS = 16;

/** The minimum interval of the periodic check. */
const MIN_CHECK_MS = 800;

describe('The requests of presence to Redis', () => {
  let stores: TestDatabase;
  let redis: ThrowawayRedis;
  let runtime: PresenceRuntime;
  let realm: PresenceRealm;
  let users: number[];

  beforeAll(async () => {
    [stores, redis] = await Promise.all([createTestDatabase(), ThrowawayRedis.start()]);
    realm = await PresenceRealm.create(stores.database);
    users = await realm.addUsers(FULL_BATCH + 8);
    runtime = await startPresence(stores.database, { redisUrl: redis.url, batchMs: 20 });
    // The replica is loaded, and Redis has the scripts.
    await everyoneReports(nowSeconds() - 600);
  });

  afterAll(async () => {
    await runtime.stop();
    await redis.remove();
    await stores.drop();
  });

  async function everyoneReports(reportedAt: number): Promise<void> {
    const requests = users.map((userId) => realm.request(userId, { reportedAt }));
    await Promise.all(requests.map((request) => runtime.service.report(request)));
  }

  /** The number of runs of each command during an action, including runs in scripts. */
  async function commandsDuring(work: () => Promise<unknown>): Promise<Map<string, number>> {
    return redis.run(async (connection) => {
      const before = callsIn(await connection.info('commandstats'));
      await work();
      const after = callsIn(await connection.info('commandstats'));
      const during = [...after].map(
        ([name, calls]) => [name, calls - (before.get(name) ?? 0)] as const,
      );
      return new Map(during.filter(([name, calls]) => calls > 0 && name !== 'info'));
    });
  }

  it('sends nothing for polls, besides the periodic check and the follower', async () => {
    const [asker = 0] = users;
    const { presence_last_update_id: cursor } = parseAnswer(
      await runtime.service.report(realm.poll(asker)),
    );
    const startedAt = performance.now();
    const commands = await commandsDuring(async () => {
      for (let poll = 0; poll < 1000; poll += 1) {
        const answer = await runtime.service.report(realm.poll(asker, cursor));
        expect(parseAnswer(answer).presences).toEqual({});
      }
    });
    const checks = 1 + Math.floor((performance.now() - startedAt) / MIN_CHECK_MS);
    expect(
      [...commands.keys()].filter((name) => !/^(?:exists|hmget|set|xread)$/.test(name)),
    ).toEqual([]);
    expect(commands.get('hmget') ?? 0).toBeLessThanOrEqual(checks);
    expect(commands.get('exists') ?? 0).toBeLessThanOrEqual(checks * SHARDS);
    expect(commands.get('set') ?? 0).toBeLessThanOrEqual(checks);
    expect(commands.get('xread') ?? 0).toBeLessThan(50);
  });

  it('calls one script for a full batch, and one for the rest', async () => {
    const commands = await commandsDuring(() => everyoneReports(nowSeconds() - 300));
    expect(commands.get('evalsha')).toBe(2);
    expect(commands.get('xadd')).toBe(users.length);
    expect(commands.has('hgetall')).toBe(false);
  });

  it('sends nothing for reports that change nothing', async () => {
    const reportedAt = nowSeconds();
    await everyoneReports(reportedAt);
    await eventually(async () => {
      const answer = await runtime.service.report(realm.poll(users[0] ?? 0));
      expect(usersIn(parseAnswer(answer))).toEqual(users);
    });
    const commands = await commandsDuring(() => everyoneReports(reportedAt + 55));
    expect(commands.has('evalsha')).toBe(false);
  });
});

const callsIn = (info: string): Map<string, number> =>
  new Map(
    [...info.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)].map(([, name = '', calls]) => [
      name,
      Number(calls),
    ]),
  );
