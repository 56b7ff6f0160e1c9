import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { openRedis, type Redis } from '#platform/redis';
import { Metrics } from '#platform/telemetry';
import { eventually } from '#test/eventually';
import { testRedisUrl } from '#test/test-stores';
import { PubSub, type Topic } from './pub-sub.js';
import { UnreadableMessages } from './unreadable-messages.js';

type Message = { v: 1 };
const topicOf = (name: string): Topic<Message> => ({
  name,
  source: name,
  schema: z.object({ v: z.literal(1) }),
});
const orders = topicOf('orders');
const acks = topicOf('acks');
/** Longer than any test. */
const NEVER_MS = 3_600_000;

describe('A message that every worker acknowledges', () => {
  let redis: Redis;
  let options: { url: string; prefix: string };
  const opened: PubSub[] = [];

  const open = () => {
    const pubSub = new PubSub(options, redis, new UnreadableMessages(new Metrics()));
    opened.push(pubSub);
    return pubSub;
  };
  /** Starts a worker that acknowledges orders when `isDone` has resolved. */
  const startWorker = (isDone: () => Promise<void>) => {
    const worker = open();
    const heard: Message[] = [];
    worker.onMessage(orders, async (message) => {
      heard.push(message);
      await isDone();
      await worker.publish(acks, { v: 1 });
    });
    return heard;
  };
  const untilWorkers = (count: number) =>
    eventually(async () => {
      const [, subscribers] = await redis.pubsub('NUMSUB', `${options.prefix}:message:orders`);
      expect(subscribers).toBe(count);
    });

  beforeAll(() => {
    redis = openRedis(testRedisUrl(), 'test');
  });
  beforeEach(() => {
    options = { url: testRedisUrl(), prefix: `test-${randomBytes(6).toString('hex')}` };
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((pubSub) => pubSub.onApplicationShutdown()));
  });
  afterAll(() => redis.disconnect());

  it('waits for the slower one of two workers', async () => {
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const quick = startWorker(() => Promise.resolve());
    const slow = startWorker(() => finished);
    await untilWorkers(2);
    const sut = open();
    // Sees the acknowledgements in the same order as the publisher.
    const seen = await sut.subscribe(acks);
    let result: boolean | undefined;
    const publishing = sut.publishAcknowledged(orders, { v: 1 }, acks, NEVER_MS).then((all) => {
      result = all;
    });
    await seen.receive(1, NEVER_MS);
    await eventually(() => expect([quick.length, slow.length]).toEqual([1, 1]));
    await new Promise((resolve) => setImmediate(resolve));
    expect(result).toBeUndefined();
    finish();
    await publishing;
    expect(result).toBe(true);
    seen.close();
  });

  it('ends at its deadline without the worker that hangs', async () => {
    startWorker(() => Promise.resolve());
    startWorker(() => new Promise(() => undefined));
    await untilWorkers(2);
    expect(await open().publishAcknowledged(orders, { v: 1 }, acks, 50)).toBe(false);
  });

  it('waits for nobody without a worker', async () => {
    expect(await open().publishAcknowledged(orders, { v: 1 }, acks, NEVER_MS)).toBe(true);
  });
});
