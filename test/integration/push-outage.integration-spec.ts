import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { RecordingTransport } from '#push-transport';
import { eventually } from '../support/eventually.js';
import { androidToken } from '../support/push-tokens.js';
import { ThrowawayRedis } from '../support/throwaway-redis.js';
import { type Account, PushSystem } from './push-system.js';

let redis: ThrowawayRedis;
let system: PushSystem;
let account: Account;
let token: string;
let fcm: RecordingTransport;

beforeAll(async () => {
  redis = await ThrowawayRedis.start();
  system = await PushSystem.start({ redisUrl: redis.url });
}, 20_000);

beforeEach(async () => {
  fcm = new RecordingTransport();
  account = await system.addAccount();
  token = androidToken();
  await system.registerDevice.execute(account, { platform: 'fcm', token });
});

afterEach(() => system.stopWorkers());

afterAll(async () => {
  await system?.stop();
  await redis?.remove();
}, 20_000);

const ended = (state: string) =>
  eventually(async () => {
    const deliveries = await system.deliveriesOf(account);
    expect(deliveries.map((delivery) => delivery.state)).toEqual([state]);
  });

/** Resolves with how long it took. */
async function timed(work: Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work;
  return performance.now() - startedAt;
}

describe('While Redis is away', () => {
  it('notifications are accepted without delay, and sent when it is back', async () => {
    await system.startWorker({ fcm }, 100);
    await redis.kill();
    expect(await timed(system.sendTest.execute(account, { token }))).toBeLessThan(3000);
    expect(fcm.sent).toEqual([]);
    await redis.startAgain();
    await ended('delivered');
    expect(fcm.sent).toHaveLength(1);
  }, 30_000);

  it('a new API key is not held up, and brings its logout when it is back', async () => {
    await redis.kill();
    const renewed = await system.replaceKey(account);
    expect(await timed(system.logouts.hurry(renewed))).toBeLessThan(3000);
    await redis.startAgain();
    await system.startWorker({ fcm }, 100);
    await eventually(async () => expect(await system.tokensOf(account)).toEqual([]));
  }, 30_000);

  it('what is being sent is written down, and a worker stops when it is told to', async () => {
    const worker = await system.startWorker({ fcm });
    let answer: () => void = () => undefined;
    const isAnswered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    fcm.answerWith(async () => {
      await isAnswered;
      return { kind: 'accepted' };
    });
    await system.sendTest.execute(account);
    await eventually(() => expect(fcm.sent).toHaveLength(1));
    await redis.kill();
    answer();
    await ended('delivered');
    expect(await timed(worker.close())).toBeLessThan(5000);
    await redis.startAgain();
    await system.startWorker({ fcm }, 100);
    await ended('delivered');
    expect(fcm.sent).toHaveLength(1);
  }, 30_000);
});
