import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { PresenceRequest } from '#presence/rpc';
import { type PresenceRuntime } from '#presence/server';
import { keysOf } from '#presence/store';
import { eventually } from '#test/eventually';
import {
  nowSeconds,
  parseAnswer,
  type PresencePicture,
  PresenceRealm,
  usersIn,
} from '#test/presence-realm';
import { startPresence } from '#test/start-presence';
import { ThrowawayRedis } from '#test/throwaway-redis';
import { useDatabase, useFixture } from '#test/use-fixture';

/** Far enough in the past that later reports are not ahead of the clock. */
const hourAgo = (): number => nowSeconds() - 3600;

describe('The recovery of presence', () => {
  const stores = useDatabase();
  const redis = useFixture(() => ThrowawayRedis.start());
  let realm: PresenceRealm;
  let users: number[];
  let ann: number;
  let ben: number;
  let running: PresenceRuntime[] = [];

  beforeEach(async () => {
    realm = await PresenceRealm.create(stores.database);
    users = await realm.addUsers(5);
    [ann = 0, ben = 0] = users;
  });

  afterEach(async () => {
    await Promise.all(running.map((runtime) => runtime.stop()));
    running = [];
  });

  /** Another presence process. */
  async function startProcess(): Promise<PresenceRuntime> {
    const runtime = await startPresence(stores.database, { redisUrl: redis.url });
    running.push(runtime);
    return runtime;
  }

  async function stopProcess(runtime: PresenceRuntime): Promise<void> {
    await runtime.stop();
    running = running.filter((other) => other !== runtime);
  }

  const ask = async (
    runtime: PresenceRuntime,
    request: PresenceRequest,
  ): Promise<PresencePicture> => parseAnswer(await runtime.service.report(request));

  const poll = (runtime: PresenceRuntime, cursor = -1): Promise<PresencePicture> =>
    ask(runtime, realm.poll(ann, cursor));

  /** All users report; resolves with the expected state. */
  async function everyoneReports(runtime: PresenceRuntime): Promise<PresencePicture> {
    for (const userId of users) {
      await runtime.service.report(realm.request(userId, { reportedAt: hourAgo() }));
    }
    return poll(runtime);
  }

  const flush = () => redis.run((connection) => connection.flushall());

  const metaOf = (name: 'epoch' | 'top') =>
    redis.run((connection) => connection.hget(keysOf(realm.id).meta, name));

  it('restores a flushed realm with its ids, for old and new cursors', async () => {
    const sut = await startProcess();
    const before = await everyoneReports(sut);
    await flush();
    await eventually(async () => {
      expect(Number(await metaOf('top'))).toBe(before.presence_last_update_id);
    });
    expect((await poll(sut)).presences).toEqual(before.presences);
    // A process that only has Redis sees the same.
    expect(await poll(await startProcess())).toEqual({
      ...before,
      server_timestamp: expect.any(Number),
    });
    const after = await ask(sut, realm.request(ben, { reportedAt: hourAgo() + 60 }));
    expect(after.presence_last_update_id).toBeGreaterThan(before.presence_last_update_id);
    expect(usersIn(await poll(sut, before.presence_last_update_id))).toEqual([ben]);
  });

  it('is invisible to clients that poll and report while Redis is flushed', async () => {
    const [first, second] = [await startProcess(), await startProcess()];
    await everyoneReports(first);
    const reportedAt = hourAgo();
    let cursor = (await poll(second)).presence_last_update_id;
    const seen = new Map<number, number>();
    for (let round = 1; round <= 30; round += 1) {
      if (round % 10 === 0) await flush();
      const reporter = users[round % users.length] ?? 0;
      const [via, at] = [round % 2 === 0 ? first : second, reportedAt + round * 60];
      await via.service.report(realm.request(reporter, { reportedAt: at }));
      const answer = await poll(second, cursor);
      expect(answer.presence_last_update_id).toBeGreaterThanOrEqual(cursor);
      cursor = answer.presence_last_update_id;
      for (const userId of usersIn(answer)) {
        seen.set(userId, answer.presences[userId]?.active_timestamp ?? 0);
      }
    }
    const expected = new Map(
      users.map((userId, index) => [userId, reportedAt + (index === 0 ? 30 : 25 + index) * 60]),
    );
    await eventually(async () => {
      const answer = await poll(second, cursor);
      cursor = answer.presence_last_update_id;
      for (const userId of usersIn(answer)) {
        seen.set(userId, answer.presences[userId]?.active_timestamp ?? 0);
      }
      expect(seen).toEqual(expected);
    });
  });

  it('restores from every process the entries that only it has', async () => {
    const [first, second] = [await startProcess(), await startProcess()];
    await poll(second);
    const { presence_last_update_id: cursor } = await everyoneReports(first);
    await eventually(async () => {
      expect((await poll(second)).presence_last_update_id).toBe(cursor);
    });
    await flush();
    // A process without state creates the realm before the others have noticed the loss.
    const third = await startProcess();
    await third.service.report(realm.request(ben, { status: 'idle' }));
    await eventually(async () => expect(usersIn(await poll(third))).toEqual(users));
  });

  it('restores everything from PostgreSQL, with the ids that clients have', async () => {
    const first = await startProcess();
    const before = await everyoneReports(first);
    await stopProcess(first);
    await flush();
    const second = await startProcess();
    expect(await poll(second)).toEqual({ ...before, server_timestamp: expect.any(Number) });
    expect((await poll(second, before.presence_last_update_id)).presences).toEqual({});
  });

  it('restores entries that Redis has lost just before it stops', async () => {
    const [first, second] = [await startProcess(), await startProcess()];
    await poll(second);
    await second.service.report(realm.request(ann));
    await first.service.report(realm.request(ben));
    await flush();
    await stopProcess(first);
    await eventually(async () => expect(usersIn(await poll(second))).toEqual([ann, ben]));
  });

  it('restores changes of a process that stopped before Redis lost them', async () => {
    const [first, second] = [await startProcess(), await startProcess()];
    await poll(second);
    await first.service.report(realm.request(ben));
    await stopProcess(first);
    await flush();
    await eventually(async () => expect(usersIn(await poll(second))).toEqual([ben]));
  });

  it('restores a Redis with an old dump from PostgreSQL', async () => {
    const first = await startProcess();
    await first.service.report(realm.request(ann));
    const keys: string[] = Object.values(keysOf(realm.id));
    const dump = await redis.run((connection) =>
      Promise.all(keys.map((key) => connection.dumpBuffer(key))),
    );
    const before = await everyoneReports(first);
    await stopProcess(first);
    await redis.run(async (connection) => {
      for (const [index, key] of keys.entries()) {
        await connection.restore(key, 0, dump[index] ?? '', 'REPLACE');
      }
    });
    const second = await startProcess();
    expect((await poll(second)).presences).toEqual(before.presences);
    const later = await poll(second, before.presence_last_update_id);
    expect(later.presence_last_update_id).toBeGreaterThan(before.presence_last_update_id);
  });

  it('answers from memory and buffers reports with their times while Redis is unavailable', async () => {
    const sut = await startProcess();
    const before = await everyoneReports(sut);
    await redis.kill();
    const reportedAt = hourAgo() + 60;
    await ask(sut, realm.request(ben, { reportedAt: reportedAt - 1, status: 'idle' }));
    const away = await ask(sut, realm.request(ben, { reportedAt, status: 'active' }));
    expect(away.presences).toEqual(before.presences);
    expect(sut.counters.staleAnswers).toBeGreaterThan(0);
    await redis.startAgain();
    const cursor = before.presence_last_update_id;
    await eventually(async () => {
      const { presences } = await poll(sut, cursor);
      expect(presences).toEqual({
        [ben]: { active_timestamp: reportedAt, idle_timestamp: reportedAt },
      });
    });
    expect((await poll(await startProcess())).presences).toEqual((await poll(sut)).presences);
  });

  it('answers from PostgreSQL without moving a cursor if it starts while Redis is unavailable', async () => {
    const first = await startProcess();
    const before = await everyoneReports(first);
    await stopProcess(first);
    await redis.kill();
    const second = await startProcess();
    const answer = await poll(second);
    expect(answer.presences).toEqual(before.presences);
    expect(answer.presence_last_update_id).toBe(-1);
    await redis.startAgain();
    await eventually(async () => {
      expect((await poll(second)).presence_last_update_id).toBe(before.presence_last_update_id);
    });
  });

  it('hides a user who went invisible while Redis was unavailable', async () => {
    const sut = await startProcess();
    const { presence_last_update_id: cursor } = await everyoneReports(sut);
    await redis.kill();
    const at = hourAgo() + 100;
    await ask(sut, realm.request(ben, { reportedAt: at }));
    await sut.service.changeVisibility(realm.visibility(ben, false, at));
    await redis.startAgain();
    await eventually(async () => {
      const { presences } = await poll(sut, cursor);
      expect(presences[ben]?.idle_timestamp).toBe(at - 320);
    });
  });

  it('allocates ids above the served ones when the clock of Redis is behind', async () => {
    const sut = await startProcess();
    await everyoneReports(sut);
    const { meta } = keysOf(realm.id);
    const ahead = (Date.now() + 200_000) * 1000;
    await redis.run((connection) => connection.hset(meta, 'top', String(ahead)));
    const { presence_last_update_id: cursor } = await ask(
      sut,
      realm.request(ann, { reportedAt: hourAgo() + 60 }),
    );
    await eventually(async () => {
      expect((await poll(sut)).presence_last_update_id).toBeGreaterThan(ahead);
    });
    await flush();
    await sut.service.report(realm.request(ben, { reportedAt: hourAgo() + 120 }));
    await eventually(async () => {
      const { presence_last_update_id: top } = await poll(sut);
      expect(top).toBeGreaterThan(ahead + 1);
    });
    expect(usersIn(await poll(sut, ahead + 1))).toEqual([ben]);
    expect(cursor).toBeGreaterThan(0);
    expect(sut.counters.clockBehind).toBeGreaterThan(0);
  });

  it('shows reports to one process at all processes', async () => {
    const [first, second] = [await startProcess(), await startProcess()];
    await Promise.all([poll(first), poll(second)]);
    await Promise.all(
      users.map((userId, index) =>
        (index % 2 === 0 ? first : second).service.report(realm.request(userId)),
      ),
    );
    await eventually(async () => {
      const [one, other] = [await poll(first), await poll(second)];
      expect(usersIn(one)).toEqual(users);
      expect(other).toEqual({ ...one, server_timestamp: expect.any(Number) });
    });
  });
});
