import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { PresenceService } from '#presence/rpc';
import { PresenceClient } from '#presence/client';
import { PresenceRuntime, PresenceServer } from '#presence/server';
import { eventually } from '#test/eventually';
import { nowSeconds, PresenceRealm } from '#test/presence-realm';
import { PresenceViewer } from '#test/presence-viewer';
import { ThrowawayRedis } from '#test/throwaway-redis';
import { useDatabase } from '#test/use-fixture';

const HOST = '127.0.0.1';
const PROCESSES = 2;
/** An invisible user was last seen at least this long ago. */
const HIDDEN_SECONDS = 320;

interface PresenceProcess {
  readonly runtime: PresenceRuntime;
  readonly server: PresenceServer;
  readonly port: number;
}

describe('Going invisible while Redis is unavailable', () => {
  const stores = useDatabase();
  let redis: ThrowawayRedis;
  let realm: PresenceRealm;
  let processes: PresenceProcess[];
  let gateway: PresenceClient;
  /** Each of another process. */
  let viewers: PresenceViewer[];
  let eve: number;
  let seenAt: number;

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

  /** Each viewer gets, from its process, that eve was seen at this time. */
  async function expectSeenBy(all: readonly PresenceViewer[], idleAt: number): Promise<void> {
    for (const [index, viewer] of all.entries()) {
      await viewer.poll(serviceOf(index), (cursor) => realm.poll(viewer.userId, cursor));
      expect(viewer.state.get(eve)?.idle_timestamp).toBe(idleAt);
    }
  }

  function serviceOf(index: number): PresenceService {
    const process = processes[index];
    if (!process) throw new Error(`There is no process ${index}`);
    return process.runtime.service;
  }

  const newcomers = () => viewers.map(({ userId }) => new PresenceViewer(userId));

  async function setSharing(isShared: boolean): Promise<number> {
    const at = nowSeconds();
    const data = { isPresenceEnabled: isShared };
    await stores.database.prisma.user.update({ where: { id: eve }, data });
    await gateway.changeVisibility(realm.visibility(eve, isShared, at));
    return at;
  }

  it('is shown by every process at once, in polls and reads', async () => {
    const hiddenAt = (await setSharing(false)) - HIDDEN_SECONDS;
    await expectSeenBy(newcomers(), hiddenAt);
    // Also for clients with the latest cursor.
    await expectSeenBy(viewers, hiddenAt);
    for (const [index, { userId }] of viewers.entries()) {
      const viewer = { realmId: realm.id, userId, isGuest: false };
      const service = serviceOf(index);
      const { idleAt } = Object(await service.readUser({ ...viewer, askedUserId: eve }));
      expect(idleAt).toBe(hiddenAt);
      const { presences } = JSON.parse(await service.readRealm(viewer));
      const [{ website }] = Object.values<{ website: object }>(presences) as [{ website: object }];
      expect(website).toMatchObject({ status: 'idle', timestamp: hiddenAt });
    }
  });

  it('is the same for everyone when Redis is available again', async () => {
    const hiddenAt = (await setSharing(false)) - HIDDEN_SECONDS;
    await expectSeenBy(viewers, hiddenAt);
    const received = viewers.map(({ cursor }) => cursor);
    await redis.startAgain();
    await eventually(async () => {
      await expectSeenBy(viewers, hiddenAt);
      for (const [index, { cursor }] of viewers.entries()) {
        expect(cursor).toBeGreaterThan(received[index] ?? 0);
      }
    });
    await expectSeenBy(newcomers(), hiddenAt);
    // No change is repeated after all responsible processes have published it.
    await eventually(async () => {
      const settled = viewers.map(({ receivedEntries }) => receivedEntries);
      await expectSeenBy(viewers, hiddenAt);
      expect(viewers.map(({ receivedEntries }) => receivedEntries)).toEqual(settled);
    });
  });

  it('is published by another process if the responsible one has stopped', async () => {
    const hiddenAt = (await setSharing(false)) - HIDDEN_SECONDS;
    // The gateway uses this process for the organisation, so it has eve's report.
    const publisher = processes.findIndex(({ runtime }) => runtime.counters.accepted > 0);
    for (const process of processes.splice(publisher, 1)) await stopProcess(process);
    await redis.startAgain();
    processes.push(await startProcess());
    await eventually(async () => {
      for (const { runtime } of processes) {
        const viewer = new PresenceViewer(viewers[0]?.userId ?? 0);
        await viewer.poll(runtime.service, (cursor) => realm.poll(viewer.userId, cursor));
        expect(viewer.state.get(eve)?.idle_timestamp).toBe(hiddenAt);
      }
    });
  });

  it('is known to a process that starts during the outage', async () => {
    await setSharing(false);
    const { runtime, ...rest } = await startProcess();
    processes.push({ runtime, ...rest });
    const viewer = new PresenceViewer(viewers[0]?.userId ?? 0);
    await viewer.poll(runtime.service, (cursor) => realm.poll(viewer.userId, cursor));
    expect(viewer.state.get(eve)?.idle_timestamp).toBeLessThanOrEqual(
      nowSeconds() - HIDDEN_SECONDS,
    );
  });

  it('is undone at once', async () => {
    await setSharing(false);
    const shownAt = await setSharing(true);
    await expectSeenBy(newcomers(), seenAt);
    await redis.startAgain();
    await eventually(() => {
      expect(processes.map(({ runtime }) => runtime.status().bufferedUsers)).toEqual([0, 0]);
    });
    await eventually(() => expectSeenBy(viewers, Math.max(seenAt, shownAt)));
  });
});
