import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PresenceRuntime, type PresenceRuntimeOptions } from '#presence/server';
import { countStatements } from '#test/count-statements';
import { eventually } from '#test/eventually';
import { nowSeconds, parseAnswer, PresenceRealm, usersIn } from '#test/presence-realm';
import { PresenceViewer } from '#test/presence-viewer';
import { testRedisUrl } from '#test/test-stores';
import { ThrowawayRedis } from '#test/throwaway-redis';
import { useDatabase } from '#test/use-fixture';

/** Enough for a report to count, and too little for an urgent write. */
const REFRESH_SECONDS = 58;

describe('Last seen', () => {
  const stores = useDatabase();
  let realm: PresenceRealm;
  let running: PresenceRuntime[] = [];

  beforeEach(async () => {
    realm = await PresenceRealm.create(stores.database);
  });

  afterEach(async () => {
    await Promise.all(running.map((runtime) => runtime.stop()));
    running = [];
  });

  async function startProcess(
    different: Partial<PresenceRuntimeOptions> = {},
  ): Promise<PresenceRuntime> {
    const usual = { redisUrl: testRedisUrl(), batchMs: 1, flushSeconds: 600, limitsAccess: false };
    const runtime = new PresenceRuntime(stores.database, { ...usual, ...different });
    await runtime.start();
    running.push(runtime);
    return runtime;
  }

  const report = ({ service }: PresenceRuntime, userId: number, reportedAt = nowSeconds()) =>
    service.report(realm.request(userId, { reportedAt, pingOnly: true }));

  /** The last-seen times of users in PostgreSQL. */
  async function savedTimes(): Promise<number[]> {
    const { prisma } = stores.database;
    const rows = await prisma.userPresence.findMany({
      where: { realmId: realm.id },
      orderBy: { userId: 'asc' },
    });
    return rows.map(({ idleAt }) => idleAt);
  }

  it('needs few statements per second, for any number of users', async () => {
    const users: number[] = [];
    while (users.length < 5000) users.push(...(await realm.addUsers(1000)));
    const sut = await startProcess({ flushSeconds: 1 });
    const beganAt = performance.now();
    const sent = await countStatements(async () => {
      const reports: Promise<unknown>[] = [];
      for (const userId of users) {
        reports.push(report(sut, userId));
        if (reports.length % 20 === 0) await new Promise(setImmediate);
      }
      await Promise.all(reports);
      await eventually(async () => expect(sut.status().dueUsers).toBe(0));
    });
    const seconds = (performance.now() - beganAt) / 1000;
    expect(await savedTimes()).toHaveLength(users.length);
    // One to load the realm, those of returning users, and those of each period, with a thousand rows each.
    expect(sent).toBeLessThanOrEqual(1 + (20 + 2) * (seconds + 1) + users.length / 1000);
  });

  it('is written to PostgreSQL within a period', async () => {
    const users = await realm.addUsers(3);
    const sut = await startProcess({ flushSeconds: 1 });
    const seenAt = nowSeconds() - 100;
    for (const userId of users) await report(sut, userId, seenAt);
    for (const userId of users) await report(sut, userId, seenAt + REFRESH_SECONDS);
    await eventually(async () => {
      expect(await savedTimes()).toEqual(users.map(() => seenAt + REFRESH_SECONDS));
    }, 5000);
  });

  it('is written to PostgreSQL by the next process after a process was killed', async () => {
    const users = await realm.addUsers(3);
    const killed = await startProcess();
    const seenAt = nowSeconds() - 100;
    for (const userId of users) await report(killed, userId, seenAt);
    for (const userId of users) await report(killed, userId, seenAt + REFRESH_SECONDS);
    expect(await savedTimes()).toEqual(users.map(() => seenAt));
    const sut = await startProcess({ flushSeconds: 1 });
    await sut.service.report(realm.poll(users[0] ?? 0));
    await eventually(async () => {
      expect(await savedTimes()).toEqual(users.map(() => seenAt + REFRESH_SECONDS));
    });
  });

  it('restores reports that were buffered during an outage of Redis after a process was killed', async () => {
    const redis = await ThrowawayRedis.start({ keeps: true });
    try {
      const [ann = 0, ben = 0] = await realm.addUsers(2);
      const killed = await startProcess({ redisUrl: redis.url, flushSeconds: 1 });
      const seenAt = nowSeconds() - 200;
      await report(killed, ben, seenAt);
      const viewer = new PresenceViewer(ann);
      await viewer.poll(killed.service, (cursor) => realm.poll(ann, cursor));
      await redis.kill();
      const laterAt = [1, 2].map((times) => seenAt + times * REFRESH_SECONDS);
      for (const at of laterAt) await report(killed, ben, at);
      await eventually(async () => expect(await savedTimes()).toEqual(laterAt.slice(1)));
      // While Redis is unavailable, an orderly stop cannot write the reports to Redis either.
      running = [];
      await killed.stop();
      await redis.startAgain();
      const sut = await startProcess({ redisUrl: redis.url });
      await eventually(async () => {
        await viewer.poll(sut.service, (cursor) => realm.poll(ann, cursor));
        expect(viewer.state.get(ben)?.idle_timestamp).toBe(laterAt[1]);
      });
    } finally {
      await Promise.all(running.map((runtime) => runtime.stop()));
      running = [];
      await redis.remove();
    }
  });

  it('is loaded once for many clients, who all get complete answers', async () => {
    const users = await realm.addUsers(20);
    const before = await startProcess();
    await Promise.all(users.map((userId) => report(before, userId)));
    const sut = await startProcess();
    const herd = Array.from({ length: 500 }, (_, index) => users[index % users.length] ?? 0);
    const answers = await Promise.all(herd.map((userId) => sut.service.report(realm.poll(userId))));
    for (const answer of answers) expect(usersIn(parseAnswer(answer))).toEqual(users);
    expect(sut.counters.loads).toEqual({ first: 1, gap: 0, lost: 0 });
  });

  it('is dropped from memory with an unused realm, and loaded again on demand', async () => {
    const users = await realm.addUsers(3);
    const sut = await startProcess({ unusedRealmMs: 50 });
    for (const userId of users) await report(sut, userId);
    const before = parseAnswer(await sut.service.report(realm.poll(users[0] ?? 0)));
    await eventually(() =>
      expect(sut.status()).toMatchObject({ followedRealms: 0, unsyncedRealms: 0, users: 0 }),
    );
    const cursor = before.presence_last_update_id;
    const after = parseAnswer(await sut.service.report(realm.poll(users[0] ?? 0)));
    expect(after).toEqual({ ...before, server_timestamp: expect.any(Number) });
    const same = parseAnswer(await sut.service.report(realm.poll(users[0] ?? 0, cursor)));
    expect(same.presence_last_update_id).toBe(cursor);
  });
});
