import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { PresenceRequest } from '#contracts';
import type { PresenceRuntime } from '#presence';
import { eventually } from '../support/eventually.js';
import { nowSeconds, PresenceRealm } from '../support/presence-realm.js';
import { PresenceViewer } from '../support/presence-viewer.js';
import { startPresence } from '../support/start-presence.js';
import { createTestDatabase, type TestDatabase } from '../support/test-stores.js';
import { ThrowawayRedis } from '../support/throwaway-redis.js';

/** A process reads the accounts of whom it is asked about no more often. */
const DIRECTORY_MS = 3000;

describe('Presence of whose account goes out of use and comes back', () => {
  let stores: TestDatabase;
  let redis: ThrowawayRedis;
  let realm: PresenceRealm;
  let running: PresenceRuntime[] = [];
  let ann: number;
  let ben: number;
  let eve: number;
  /** Brings on what happens as time passes, where a process is not told another time. */
  let aheadMs = 0;

  beforeAll(async () => {
    [stores, redis] = await Promise.all([createTestDatabase(), ThrowawayRedis.start()]);
  });

  afterAll(async () => {
    await redis.remove();
    await stores.drop();
  });

  beforeEach(async () => {
    realm = await PresenceRealm.create(stores.database);
    [ann = 0, ben = 0, eve = 0] = await realm.addUsers(3);
  });

  afterEach(async () => {
    await Promise.all(running.map((runtime) => runtime.stop()));
    running = [];
  });

  async function startProcess(clock = () => Date.now() + aheadMs): Promise<PresenceRuntime> {
    const runtime = await startPresence(stores.database, { redisUrl: redis.url, clock });
    running.push(runtime);
    return runtime;
  }

  async function stopProcess(runtime: PresenceRuntime): Promise<void> {
    running = running.filter((one) => one !== runtime);
    await runtime.stop();
  }

  const setActive = (userId: number, isActive: boolean) =>
    stores.database.prisma.user.update({ where: { id: userId }, data: { isActive } });

  const look = (
    viewer: PresenceViewer,
    { service }: PresenceRuntime,
    different: Partial<PresenceRequest> = {},
  ) => viewer.poll(service, (cursor) => ({ ...realm.poll(viewer.userId, cursor), ...different }));

  /** What somebody is told who asks for everybody, once the accounts have been read again. */
  async function pictureOf(runtime: PresenceRuntime): Promise<number[]> {
    aheadMs += DIRECTORY_MS;
    const newcomer = new PresenceViewer(ann);
    await look(newcomer, runtime);
    return [...newcomer.picture.keys()];
  }

  const untilSeen = (runtime: PresenceRuntime, expected: readonly number[]) =>
    eventually(async () => expect(await pictureOf(runtime)).toEqual(expected));

  /** Has the viewer told of what has just happened, and so their cursor moved. */
  async function moveOn(viewer: PresenceViewer, runtime: PresenceRuntime, via = runtime) {
    await via.service.report(realm.request(eve, { pingOnly: true }));
    await eventually(async () => {
      await look(viewer, runtime);
      expect([...viewer.picture.keys()]).toContain(eve);
    });
  }

  it('is told again by processes that did not see the account out of use', async () => {
    const before = await startProcess();
    const times = { active_timestamp: nowSeconds(), idle_timestamp: nowSeconds() };
    await before.service.report(realm.request(ben, { reportedAt: times.idle_timestamp }));
    await setActive(ben, false);
    await untilSeen(before, []);
    const viewer = new PresenceViewer(ann);
    await moveOn(viewer, before);
    expect([...viewer.picture.keys()]).toEqual([eve]);
    await stopProcess(before);
    await setActive(ben, true);
    const after = await startProcess();
    await eventually(async () => {
      await look(viewer, after);
      expect(viewer.picture.get(ben)).toEqual(times);
    });
  });

  it('is told by a process that has not read of it yet, once another has', async () => {
    const startedAtMs = Date.now();
    const [stale, fresh] = [await startProcess(() => startedAtMs), await startProcess()];
    await fresh.service.report(realm.request(ben));
    await setActive(ben, false);
    await untilSeen(fresh, []);
    await untilSeen(stale, []);
    await setActive(ben, true);
    await untilSeen(fresh, [ben]);
    const viewer = new PresenceViewer(ann);
    await moveOn(viewer, stale, fresh);
    await stopProcess(stale);
    await look(viewer, fresh);
    expect([...viewer.picture.keys()]).toContain(ben);
  });

  it('is left out as soon as Redis can be told of it, and not before', async () => {
    const sut = await startProcess();
    await sut.service.report(realm.request(ben));
    await untilSeen(sut, [ben]);
    await redis.kill();
    await setActive(ben, false);
    const reading = { realmId: realm.id, userId: ann, isGuest: false };
    await eventually(async () => {
      expect(await pictureOf(sut)).toEqual([ben]);
      // It knows, for no cursor goes by this.
      expect(JSON.parse(await sut.service.readRealm(reading)).presences).toEqual({});
    });
    expect(await pictureOf(sut)).toEqual([ben]);
    await redis.startAgain();
    await untilSeen(sut, []);
  });

  it('is left out from the beginning by a process that has only PostgreSQL', async () => {
    const before = await startProcess();
    await before.service.report(realm.request(ben));
    await stopProcess(before);
    await setActive(ben, false);
    await redis.kill();
    const after = await startProcess();
    expect(await pictureOf(after)).toEqual([]);
    await setActive(ben, true);
    await redis.startAgain();
    await untilSeen(after, [ben]);
  });

  it('passes over nobody whose address is still to be read, in the legacy format', async () => {
    const startedAtMs = Date.now();
    let isStale = true;
    const sut = await startProcess(() => (isStale ? startedAtMs : Date.now() + DIRECTORY_MS));
    const other = await startProcess();
    await look(new PresenceViewer(ann), sut);
    const newcomer = await realm.addUser();
    await other.service.report(realm.request(newcomer));
    await other.service.report(realm.request(eve));
    const asked = { format: 'legacy', historyLimitDays: 1 } as const;
    const emails = new Set<string>();
    let cursor = 1;
    const lookAgain = async () => {
      const request = { ...realm.poll(ann, cursor), ...asked };
      const answer = JSON.parse(String(await sut.service.report(request)));
      cursor = answer.presence_last_update_id;
      for (const email of Object.keys(answer.presences)) emails.add(email);
    };
    await eventually(async () => {
      await lookAgain();
      expect(emails.size).toBe(1);
    });
    isStale = false;
    await eventually(async () => {
      await lookAgain();
      expect(emails.size).toBe(2);
    });
    expect(cursor).toBeGreaterThan(1);
  });
});
