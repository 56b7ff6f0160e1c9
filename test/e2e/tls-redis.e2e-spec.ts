import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { QUEUE_PREFIX, queueKeyPrefix } from '#platform/queue';
import { ConfirmedWork } from '#test/confirmed-work';
import { RedisCluster } from '#test/redis-cluster';
import { hasSentinel, SentinelGroup } from '#test/redis-sentinels';
import { startSystem, type System } from '#test/start-system';

jest.setTimeout(240_000);

const CONFIRMED = 10;
/** A key of the queue of notifications to Android. */
const QUEUE_KEY = queueKeyPrefix(QUEUE_PREFIX, 'push-fcm');

const NO_LIMITS = { RATE_LIMIT_USER: '60:1000000' };

let system: System | undefined;
const undoing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  await system?.stop();
  system = undefined;
  for (const undo of undoing.splice(0).toReversed()) await undo();
});

/** Works before and after a fault. Resolves with the failed requests and with the results of the others. */
async function workAround(running: System, fault = async () => {}) {
  const work = await ConfirmedWork.prepare(running, 1);
  work.begin();
  await work.untilMore(CONFIRMED);
  await fault();
  await work.untilMore(CONFIRMED);
  await work.end();
  const { lost, twice } = await work.result();
  return { lost, twice, failures: work.failures };
}

const unharmed = { lost: [], twice: [], failures: [] };

(hasSentinel ? describe : describe.skip)(
  'A group with TLS that Redis Sentinel watches (skipped without redis-server)',
  () => {
    it('serves all programs, also after the end of its primary', async () => {
      const group = await SentinelGroup.start({ isEncrypted: true });
      undoing.push(() => group.remove());
      system = await startSystem({ environment: { ...NO_LIMITS, REDIS_URL: group.url } });
      expect(await workAround(system, () => group.killPrimary())).toEqual(unharmed);
    });
  },
);

describe('A Redis Cluster with TLS', () => {
  it('serves the queues, also after the end of a master, beside the Redis of the other programs', async () => {
    const cluster = await RedisCluster.start({ isEncrypted: true, hasReplicas: true });
    undoing.push(() => cluster.remove());
    const QUEUE_REDIS_URL = cluster.urls.join();
    system = await startSystem({ environment: { ...NO_LIMITS, QUEUE_REDIS_URL } });
    const owner = await cluster.nodeOf(QUEUE_KEY);
    expect(await workAround(system, () => cluster.kill(owner))).toEqual(unharmed);
    const witness = cluster.nodes.find((node) => node !== owner) ?? 0;
    const heir = await cluster.nodeOf(QUEUE_KEY, witness);
    expect(heir).not.toBe(owner);
    const isHere = cluster.run(heir, (redis) => redis.exists(`${QUEUE_KEY}:queue-is-here`));
    expect(await isHere).toBe(1);
  });

  it('serves presence, beside the Redis of the other programs', async () => {
    const cluster = await RedisCluster.start({ isEncrypted: true });
    undoing.push(() => cluster.remove());
    const PRESENCE_REDIS_URL = cluster.urls.join();
    system = await startSystem({ environment: { ...NO_LIMITS, PRESENCE_REDIS_URL } });
    expect(await workAround(system)).toEqual(unharmed);
    const counts = cluster.nodes.map((node) => cluster.run(node, (redis) => redis.dbsize()));
    expect(Math.max(...(await Promise.all(counts)))).toBeGreaterThan(0);
  });
});
