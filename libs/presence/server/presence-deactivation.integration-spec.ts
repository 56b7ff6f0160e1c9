import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { PresenceRequest } from '#presence/rpc';
import type { PresenceRuntime } from '#presence/server';
import { eventually } from '#test/eventually';
import { nowSeconds, PresenceRealm } from '#test/presence-realm';
import { PresenceViewer } from '#test/presence-viewer';
import { startPresence } from '#test/start-presence';
import { ThrowawayRedis } from '#test/throwaway-redis';
import { useDatabase, useFixture } from '#test/use-fixture';

/** The interval at which a process reads accounts. */
const DIRECTORY_MS = 3000;

describe('Presence of deactivated and reactivated accounts', () => {
  const stores = useDatabase();
  const redis = useFixture(() => ThrowawayRedis.start());
  let realm: PresenceRealm;
  let running: PresenceRuntime[] = [];
  let ann: number;
  let ben: number;
  let eve: number;
  /** The offset of the clock of the processes; raised to let time pass. */
  let aheadMs = 0;

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

  /** The answer with all users, after the accounts have been read again. */
  async function pictureOf(runtime: PresenceRuntime): Promise<number[]> {
    aheadMs += DIRECTORY_MS;
    const newcomer = new PresenceViewer(ann);
    await look(newcomer, runtime);
    return [...newcomer.state.keys()];
  }

  const untilSeen = (runtime: PresenceRuntime, expected: readonly number[]) =>
    eventually(async () => expect(await pictureOf(runtime)).toEqual(expected));

  /** Polls for the viewer until the cursor has passed the last change. */
  async function moveOn(viewer: PresenceViewer, runtime: PresenceRuntime, via = runtime) {
    await via.service.report(realm.request(eve, { pingOnly: true }));
    await eventually(async () => {
      await look(viewer, runtime);
      expect([...viewer.state.keys()]).toContain(eve);
    });
  }

  it('is shown again by processes that did not see the deactivation', async () => {
    const before = await startProcess();
    const times = { active_timestamp: nowSeconds(), idle_timestamp: nowSeconds() };
    await before.service.report(realm.request(ben, { reportedAt: times.idle_timestamp }));
    await setActive(ben, false);
    await untilSeen(before, []);
    const viewer = new PresenceViewer(ann);
    await moveOn(viewer, before);
    expect([...viewer.state.keys()]).toEqual([eve]);
    await stopProcess(before);
    await setActive(ben, true);
    const after = await startProcess();
    await eventually(async () => {
      await look(viewer, after);
      expect(viewer.state.get(ben)).toEqual(times);
    });
  });

  it('is published by one process for all others', async () => {
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
    expect([...viewer.state.keys()]).toContain(ben);
  });

  it('is hidden as soon as Redis has the deactivation, and not before', async () => {
    const sut = await startProcess();
    await sut.service.report(realm.request(ben));
    await untilSeen(sut, [ben]);
    await redis.kill();
    await setActive(ben, false);
    const reading = { realmId: realm.id, userId: ann, isGuest: false };
    await eventually(async () => {
      expect(await pictureOf(sut)).toEqual([ben]);
      // The process knows the user: no cursor passes this change.
      expect(JSON.parse(await sut.service.readRealm(reading)).presences).toEqual({});
    });
    expect(await pictureOf(sut)).toEqual([ben]);
    await redis.startAgain();
    await untilSeen(sut, []);
  });

  it('is hidden from the start by a process that only has PostgreSQL', async () => {
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

  it('skips no user whose address is still to be read, in the legacy format', async () => {
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
