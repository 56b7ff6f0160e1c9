import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { ThrowawayRedis } from '../support/throwaway-redis.js';
import { PushSystem } from './push-system.js';
import { holdAnswers, PushWorld } from './push.world.js';

let redis: ThrowawayRedis;
let system: PushSystem;
let world: PushWorld;
let token: string;

beforeAll(async () => {
  redis = await ThrowawayRedis.start();
  system = await PushSystem.start({ redisUrl: redis.url });
}, 20_000);

beforeEach(async () => {
  world = await PushWorld.in(system);
  token = await world.addPhone();
});

afterEach(() => system.stopWorkers());

afterAll(async () => {
  await system?.stop();
  await redis?.remove();
}, 20_000);

/** Resolves with how long it took. */
async function timed(work: Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work;
  return performance.now() - startedAt;
}

describe('While Redis is away', () => {
  it('notifications are accepted without delay, and sent when it is back', async () => {
    await world.startWorker(100);
    await redis.kill();
    expect(await timed(world.sendTest({ token }))).toBeLessThan(3000);
    expect(world.fcm.sent).toEqual([]);
    await redis.startAgain();
    await world.ended('delivered');
    expect(world.fcm.sent).toHaveLength(1);
  }, 30_000);

  it('a new API key is not held up, and brings its logout when it is back', async () => {
    await redis.kill();
    const renewed = await system.replaceKey(world.account);
    expect(await timed(system.logouts.hurry(renewed))).toBeLessThan(3000);
    await redis.startAgain();
    await world.startWorker(100);
    await eventually(async () => expect(await system.tokensOf(world.account)).toEqual([]));
  }, 30_000);

  it('what is being sent is written down, and a worker stops when it is told to', async () => {
    const worker = await world.startWorker();
    const answer = holdAnswers(world.fcm);
    await world.sendTest();
    await eventually(() => expect(world.fcm.sent).toHaveLength(1));
    await redis.kill();
    answer();
    await world.ended('delivered');
    expect(await timed(worker.close())).toBeLessThan(5000);
    await redis.startAgain();
    await world.startWorker(100);
    await world.ended('delivered');
    expect(world.fcm.sent).toHaveLength(1);
  }, 30_000);
});
