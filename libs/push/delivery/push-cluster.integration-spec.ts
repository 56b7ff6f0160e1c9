import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '#test/eventually';
import { RedisCluster } from '#test/redis-cluster';
import { usePushSystem } from '#test/push-system';
import { PushWorld } from '#test/push-world';
import { useFixture } from '#test/use-fixture';

/** Notifications before, during and after the outage of a node. */
const A_FEW = 5;
const SWEEP_MS = 200;

const cluster = useFixture(() => RedisCluster.start());
const system = usePushSystem(() => ({ queueRedisUrls: cluster.urls }));
const world = useFixture(() => PushWorld.in(system));
let token: string;

beforeAll(async () => {
  token = await world.addPhone();
});

async function sendAFew(): Promise<void> {
  for (let sent = 0; sent < A_FEW; sent += 1) await world.sendTest({ token });
}

/** Resolves when each of `count` notifications is delivered. */
const untilDelivered = (count: number) =>
  eventually(async () => {
    const deliveries = await world.deliveries();
    expect(deliveries.map(({ state }) => state)).toEqual(Array(count).fill('delivered'));
  });

describe('Queues on a Redis Cluster', () => {
  it('deliver what was accepted before, during and after the outage of their node, once', async () => {
    await world.startWorker(SWEEP_MS);
    await sendAFew();
    await untilDelivered(A_FEW);
    const owner = await cluster.nodeOf(system.queueKey);
    await cluster.kill(owner);
    await sendAFew();
    expect(world.fcm.sent).toHaveLength(A_FEW);
    // It has lost its data.
    await cluster.startAgain(owner);
    await sendAFew();
    await untilDelivered(3 * A_FEW);
    expect(world.fcm.sent).toHaveLength(3 * A_FEW);
  });

  it('recreate the jobs that a node has lost while no worker ran', async () => {
    await system.stopWorkers();
    const before = world.fcm.sent.length;
    await sendAFew();
    const owner = await cluster.nodeOf(system.queueKey);
    await cluster.kill(owner);
    await cluster.startAgain(owner);
    // Its grace period is so long that no delivery is overdue. Only the missing marker key shows the loss.
    const worker = await world.startWorker();
    await system.sweep(worker);
    await eventually(() => expect(world.fcm.sent).toHaveLength(before + A_FEW));
  });
});
