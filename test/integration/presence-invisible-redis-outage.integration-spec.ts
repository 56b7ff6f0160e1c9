import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PresenceClient, PresenceRuntime, PresenceServer } from '#presence';
import { eventually } from '../support/eventually.js';
import { nowSeconds, PresenceRealm } from '../support/presence-realm.js';
import { PresenceViewer } from '../support/presence-viewer.js';
import { createTestDatabase, type TestDatabase } from '../support/test-stores.js';
import { ThrowawayRedis } from '../support/throwaway-redis.js';

const HOST = '127.0.0.1';
const PROCESSES = 2;
/** At least so long ago whoever goes invisible was last seen. */
const HIDDEN_SECONDS = 320;

interface PresenceProcess {
  readonly runtime: PresenceRuntime;
  readonly server: PresenceServer;
  readonly port: number;
}

describe('Going invisible while Redis is away', () => {
  let stores: TestDatabase;
  let redis: ThrowawayRedis;
  let realm: PresenceRealm;
  let processes: PresenceProcess[];
  let gateway: PresenceClient;
  /** Of another process each. */
  let viewers: PresenceViewer[];
  let eve: number;
  let seenAt: number;

  beforeAll(async () => {
    stores = await createTestDatabase();
  });

  afterAll(() => stores.drop());

  beforeEach(async () => {
    redis = await ThrowawayRedis.start({ keeps: true });
    realm = await PresenceRealm.create(stores.database);
    const users = await realm.addUsers(PROCESSES + 1);
    eve = users.pop() ?? 0;
    viewers = users.map((userId) => new PresenceViewer(userId));
    processes = [await startProcess(), await startProcess()];
    const addresses = processes.map(({ port }) => ({ host: HOST, port }));
    gateway = new PresenceClient({ addresses, deadlineMs: 2000 });
    await eventually(() => expect(gateway.openConnections).toBe(PROCESSES));
    seenAt = nowSeconds();
    await gateway.report(realm.request(eve, { reportedAt: seenAt }));
    await eventually(() => expectSeenBy(viewers, seenAt));
    await redis.kill();
  });

  afterEach(async () => {
    await gateway.close();
    await Promise.all(processes.map(stopProcess));
    await redis.remove();
  });

  async function startProcess(): Promise<PresenceProcess> {
    const options = { redisUrl: redis.url, batchMs: 1, flushSeconds: 600, limitsAccess: false };
    const runtime = new PresenceRuntime(stores.database, options);
    await runtime.start();
    const server = new PresenceServer(runtime.service);
    return { runtime, server, port: await server.listen({ host: HOST, port: 0 }) };
  }

  async function stopProcess({ runtime, server }: PresenceProcess): Promise<void> {
    await server.close();
    await runtime.stop();
  }

  /** Those who look are told that eve was seen then, each by their process. */
  async function expectSeenBy(all: readonly PresenceViewer[], idleAt: number): Promise<void> {
    for (const viewer of all) {
      await viewer.poll(gateway, (cursor) => realm.poll(viewer.userId, cursor));
      expect(viewer.picture.get(eve)?.idle_timestamp).toBe(idleAt);
    }
  }

  const newcomers = () => viewers.map(({ userId }) => new PresenceViewer(userId));

  async function setSharing(isShared: boolean): Promise<number> {
    const at = nowSeconds();
    const data = { isPresenceEnabled: isShared };
    await stores.database.prisma.user.update({ where: { id: eve }, data });
    await gateway.changeVisibility(realm.visibility(eve, isShared, at));
    return at;
  }

  it('is told by every process at once, to all who poll and read', async () => {
    const hiddenAt = (await setSharing(false)) - HIDDEN_SECONDS;
    await expectSeenBy(newcomers(), hiddenAt);
    // Also to those who have been told of the last change.
    await expectSeenBy(viewers, hiddenAt);
    for (const { userId } of viewers) {
      const viewer = { realmId: realm.id, userId, isGuest: false };
      const { idleAt } = Object(await gateway.readUser({ ...viewer, askedUserId: eve }));
      expect(idleAt).toBe(hiddenAt);
      const { presences } = JSON.parse(await gateway.readRealm(viewer));
      const [{ website }] = Object.values<{ website: object }>(presences) as [{ website: object }];
      expect(website).toMatchObject({ status: 'idle', timestamp: hiddenAt });
    }
  });

  it('is the same for everybody when Redis is back', async () => {
    const hiddenAt = (await setSharing(false)) - HIDDEN_SECONDS;
    await expectSeenBy(viewers, hiddenAt);
    const told = viewers.map(({ cursor }) => cursor);
    await redis.startAgain();
    await eventually(async () => {
      await expectSeenBy(viewers, hiddenAt);
      for (const [index, { cursor }] of viewers.entries()) {
        expect(cursor).toBeGreaterThan(told[index] ?? 0);
      }
    });
    await expectSeenBy(newcomers(), hiddenAt);
    // Nothing is told over and over any more, once everybody who was to publish it has.
    await eventually(async () => {
      const settled = viewers.map(({ toldEntries }) => toldEntries);
      await expectSeenBy(viewers, hiddenAt);
      expect(viewers.map(({ toldEntries }) => toldEntries)).toEqual(settled);
    });
  });

  it('is published by another process when the one that was to publish it has gone', async () => {
    const hiddenAt = (await setSharing(false)) - HIDDEN_SECONDS;
    const [publisher] = processes.splice(eve % PROCESSES, 1);
    if (publisher) await stopProcess(publisher);
    await redis.startAgain();
    processes.push(await startProcess());
    await eventually(async () => {
      for (const { runtime } of processes) {
        const viewer = new PresenceViewer(viewers[0]?.userId ?? 0);
        await viewer.poll(runtime.service, (cursor) => realm.poll(viewer.userId, cursor));
        expect(viewer.picture.get(eve)?.idle_timestamp).toBe(hiddenAt);
      }
    });
  });

  it('is known to a process that starts meanwhile', async () => {
    await setSharing(false);
    const { runtime, ...rest } = await startProcess();
    processes.push({ runtime, ...rest });
    const viewer = new PresenceViewer(viewers[0]?.userId ?? 0);
    await viewer.poll(runtime.service, (cursor) => realm.poll(viewer.userId, cursor));
    expect(viewer.picture.get(eve)?.idle_timestamp).toBeLessThanOrEqual(
      nowSeconds() - HIDDEN_SECONDS,
    );
  });

  it('is undone at once', async () => {
    await setSharing(false);
    const shownAt = await setSharing(true);
    await expectSeenBy(newcomers(), seenAt);
    await redis.startAgain();
    await eventually(() => {
      expect(processes.map(({ runtime }) => runtime.state().heldUsers)).toEqual([0, 0]);
    });
    await eventually(() => expectSeenBy(viewers, Math.max(seenAt, shownAt)));
  });
});
