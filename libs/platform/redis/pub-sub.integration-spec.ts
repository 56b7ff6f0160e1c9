import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Logger } from '@nestjs/common';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  jest,
} from '@jest/globals';
import { z } from 'zod';
import {
  closeRedis,
  openRedis,
  PubSub,
  type Redis,
  type Topic,
  UnreadableMessages,
  untilReady,
} from '#platform/redis';
import { Metrics } from '#platform/telemetry';
import { eventually } from '#test/eventually';
import { startTcpProxy, type TcpProxy } from '#test/tcp-proxy';
import { testRedisUrl } from '#test/test-stores';

interface Numbered {
  readonly v: 1;
  readonly number: number;
}

/** Messages that another release or a damaged program may send. */
const UNREADABLE = ['', 'no JSON', '{', 'null', '7', '[]', '{}', '{"v":2,"number":1}'];
/** Longer than any test. */
const NEVER_MS = 3_600_000;

describe(PubSub.name, () => {
  const unhandled: unknown[] = [];
  const onUnhandled = (error: unknown) => void unhandled.push(error);
  let proxy: TcpProxy;
  /** Not through the proxy. */
  let publisher: Redis;
  let redis: Redis;
  /** The connection that subscribes. */
  let subscriber: Redis;
  let metrics: Metrics;
  let unreadable: UnreadableMessages;
  let topics: Record<'numbers' | 'others' | 'acks', Topic<Numbered>>;
  let received: number[];
  let log: ReturnType<typeof jest.spyOn>;
  let sut: PubSub;
  const opened: PubSub[] = [];

  const topicOf = (source: string): Topic<Numbered> => ({
    name: `test-${randomBytes(6).toString('hex')}:${source}`,
    source,
    schema: z.object({ v: z.literal(1).default(1), number: z.int() }),
  });
  const open = (connection: Redis): PubSub => {
    const pubSub = new PubSub(connection, unreadable);
    opened.push(pubSub);
    return pubSub;
  };
  const receiveNumbers = () =>
    sut.onMessage(topics.numbers, ({ number }) => void received.push(number));
  const publish = (text: string) => publisher.publish(topics.numbers.name, text);
  /** Publishes until a message arrives. */
  const untilReceived = (number: number) =>
    eventually(async () => {
      await publish(JSON.stringify({ v: 1, number }));
      expect(received).toContain(number);
    });
  const untilSubscribed = ({ name }: Topic<unknown>, count: number) =>
    eventually(async () => {
      const [, subscribers] = await publisher.pubsub('NUMSUB', name);
      expect(subscribers).toBe(count);
    });

  beforeAll(async () => {
    process.on('unhandledRejection', onUnhandled);
    publisher = openRedis(testRedisUrl(), 'test');
    await untilReady(publisher, 5000);
  });
  afterAll(async () => {
    process.off('unhandledRejection', onUnhandled);
    await closeRedis(publisher);
  });

  beforeEach(async () => {
    log = jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
    unhandled.length = 0;
    received = [];
    metrics = new Metrics();
    unreadable = new UnreadableMessages(metrics);
    topics = { numbers: topicOf('numbers'), others: topicOf('others'), acks: topicOf('acks') };
    proxy = await startTcpProxy(testRedisUrl());
    redis = openRedis(proxy.url, 'test', { commandTimeout: 300 });
    await untilReady(redis, 5000);
    const duplicate = redis.duplicate.bind(redis);
    redis.duplicate = (options) => (subscriber = duplicate(options));
    sut = open(redis);
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((pubSub) => pubSub.onApplicationShutdown()));
    await closeRedis(redis);
    await proxy.close();
    log.mockRestore();
    expect(unhandled).toEqual([]);
  });

  describe('its messages', () => {
    it('are dropped, counted and logged if they are unreadable', async () => {
      receiveNumbers();
      await untilSubscribed(topics.numbers, 1);
      for (const text of UNREADABLE) await publish(text);
      // Of the previous release, which wrote no version; and of a later one that says more.
      await publish('{"number":1}');
      await publish('{"v":1,"number":2,"more":true}');
      await eventually(() => expect(received).toEqual([1, 2]));
      expect(await metrics.read()).toContain(
        `carillon_unreadable_total{source="numbers"} ${UNREADABLE.length}`,
      );
      expect(log).toHaveBeenCalledTimes(1);
    });

    it('are not received by a subscription if they are unreadable', async () => {
      const subscription = await sut.subscribe(topics.numbers);
      await publish('{}');
      sut.publish(topics.numbers, { v: 1, number: 3 });
      expect(await subscription.receive(1, NEVER_MS)).toEqual([{ v: 1, number: 3 }]);
      subscription.close();
    });

    it('may be without content', async () => {
      const topic: Topic<unknown> = { ...topics.others, schema: z.unknown() };
      let calls = 0;
      sut.onMessage(topic, () => (calls += 1));
      await untilSubscribed(topic, 1);
      await publisher.publish(topic.name, '');
      await eventually(() => expect(calls).toBe(1));
    });

    it.each([
      [
        'throws',
        () => {
          throw new Error('a defect');
        },
      ],
      ['rejects', () => Promise.reject(new Error('a defect'))],
    ])('continue after a callback that %s', async (_, fail) => {
      sut.onMessage(topics.numbers, ({ number }) => {
        received.push(number);
        return number === 1 ? fail() : undefined;
      });
      await untilSubscribed(topics.numbers, 1);
      sut.publish(topics.numbers, { v: 1, number: 1 });
      sut.publish(topics.numbers, { v: 1, number: 2 });
      await eventually(() => expect(received).toEqual([1, 2]));
      expect(log).toHaveBeenCalledTimes(1);
    });
  });

  describe('its connection', () => {
    it('receives messages of all its topics again after it was lost', async () => {
      receiveNumbers();
      const subscription = await sut.subscribe(topics.others);
      await untilReceived(1);
      await proxy.close();
      await proxy.reopen();
      await untilReceived(2);
      await publisher.publish(topics.others.name, '{"number":3}');
      expect(await subscription.receive(1, NEVER_MS)).toEqual([{ v: 1, number: 3 }]);
    });

    it('may be lost while it subscribes again', async () => {
      receiveNumbers();
      await untilReceived(1);
      subscriber.disconnect(true);
      await once(subscriber, 'ready');
      subscriber.disconnect(true);
      await untilReceived(2);
      expect(unhandled).toEqual([]);
    });

    it('has a time since which every message was received', async () => {
      expect(sut.receivingSince).toBe(Number.POSITIVE_INFINITY);
      receiveNumbers();
      await untilReceived(1);
      const first = sut.receivingSince;
      expect(first).toBeLessThanOrEqual(performance.now());
      (await sut.subscribe(topics.others)).close();
      expect(sut.receivingSince).toBe(first);
      await proxy.close();
      await eventually(() => expect(sut.receivingSince).toBe(Number.POSITIVE_INFINITY));
      const lostAt = performance.now();
      await proxy.reopen();
      await untilReceived(2);
      expect(sut.receivingSince).toBeGreaterThan(lostAt);
      expect(sut.receivingSince).toBeLessThanOrEqual(performance.now());
    });

    it('receives from a SUBSCRIBE that takes longer than the timeout of commands', async () => {
      receiveNumbers();
      await untilReceived(1);
      subscriber.prependOnceListener('ready', () => proxy.stall());
      subscriber.disconnect(true);
      await once(subscriber, 'ready');
      expect(sut.receivingSince).toBe(Number.POSITIVE_INFINITY);
      // It is sent after the SUBSCRIBE, with the timeout of commands.
      await expect(redis.ping()).rejects.toThrow('timed out');
      proxy.resume();
      await eventually(() => expect(sut.receivingSince).toBeLessThanOrEqual(performance.now()));
    });

    it.each([
      ['is lost', () => proxy.close()],
      ['does not answer', async () => proxy.stall()],
    ])('rejects a subscription while it %s', async (_, lose) => {
      receiveNumbers();
      await untilReceived(1);
      await lose();
      await eventually(() => expect(sut.subscribe(topics.others)).rejects.toThrow('Redis'));
      proxy.resume();
    });
  });

  describe(PubSub.prototype.publishAcknowledged.name, () => {
    const order: Numbered = { v: 1, number: 7 };

    /** Starts a worker that acknowledges orders when `isDone` has resolved. */
    const startWorker = (isDone: () => Promise<void>) => {
      const worker = open(publisher);
      const heard: Numbered[] = [];
      worker.onMessage(topics.numbers, async (message) => {
        heard.push(message);
        await isDone();
        worker.publish(topics.acks, message);
      });
      return heard;
    };
    const publishOrder = (deadlineMs: number) =>
      sut.publishAcknowledged(topics.numbers, order, topics.acks, deadlineMs);

    it('waits for the slower one of two workers', async () => {
      let finish: () => void = () => undefined;
      const finished = new Promise<void>((resolve) => (finish = resolve));
      const quick = startWorker(() => Promise.resolve());
      const slow = startWorker(() => finished);
      await untilSubscribed(topics.numbers, 2);
      // Sees the acknowledgements in the same order as the publisher.
      const seen = await sut.subscribe(topics.acks);
      let result: boolean | undefined;
      const publishing = publishOrder(NEVER_MS).then((all) => {
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
      await untilSubscribed(topics.numbers, 2);
      expect(await publishOrder(50)).toBe(false);
    });

    it('waits for nobody without a worker', async () => {
      expect(await publishOrder(NEVER_MS)).toBe(true);
    });
  });
});
