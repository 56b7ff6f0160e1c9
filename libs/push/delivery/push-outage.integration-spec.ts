import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '#test/eventually';
import { ThrowawayRedis } from '#test/throwaway-redis';
import { usePushSystem } from '#test/push-system';
import { holdAnswers, PushWorld } from '#test/push-world';
import { useFixture } from '#test/use-fixture';

const redis = useFixture(() => ThrowawayRedis.start());
const system = usePushSystem(() => ({ redisUrl: redis.url }));
let world: PushWorld;
let token: string;

beforeEach(async () => {
  world = await PushWorld.in(system);
  token = await world.addPhone();
});

afterEach(() => system.stopWorkers());

/** Redis comes back later, so that what waits for it takes longer, on any machine. */
const SOON_MS = 20_000;

/** Resolves with how long it took. */
async function timed(work: Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work;
  return performance.now() - startedAt;
}

describe('While Redis is down', () => {
  it('notifications are accepted without delay, and sent after its recovery', async () => {
    await world.startWorker(100);
    await redis.kill();
    expect(await timed(world.sendTest({ token }))).toBeLessThan(SOON_MS);
    expect(world.fcm.sent).toEqual([]);
    await redis.startAgain();
    await world.ended('delivered');
    expect(world.fcm.sent).toHaveLength(1);
  });

  it('a new API key is issued without delay, and the logout follows after its recovery', async () => {
    await redis.kill();
    const renewed = await system.replaceKey(world.account);
    expect(await timed(system.logouts.revoke(renewed))).toBeLessThan(SOON_MS);
    await redis.startAgain();
    await world.startWorker(100);
    await eventually(async () => expect(await system.tokensOf(world.account)).toEqual([]));
  });

  it('outcomes are recorded, and a worker can shut down', async () => {
    const worker = await world.startWorker();
    const answer = holdAnswers(world.fcm);
    await world.sendTest();
    await eventually(() => expect(world.fcm.sent).toHaveLength(1));
    await redis.kill();
    answer();
    await world.ended('delivered');
    expect(await timed(worker.close())).toBeLessThan(SOON_MS);
    await redis.startAgain();
    await world.startWorker(100);
    await world.ended('delivered');
    expect(world.fcm.sent).toHaveLength(1);
  });
});
