import { randomBytes } from 'node:crypto';
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
import { openRedis, type Redis } from '#platform/redis';
import { Metrics } from '#platform/telemetry';
import { eventually } from '#test/eventually';
import { startTcpProxy } from '#test/tcp-proxy';
import { testRedisUrl } from '#test/test-stores';
import { PubSub, type Topic } from './pub-sub.js';
import { UnreadableMessages } from './unreadable-messages.js';

const topic: Topic<{ v: 1; number: number }> = {
  name: 'numbers',
  source: 'numbers',
  schema: z.object({ v: z.literal(1).default(1), number: z.int() }),
};

/** Messages that another release or a damaged program may send. */
const UNREADABLE = ['', 'no JSON', '{', 'null', '7', '[]', '{}', '{"v":2,"number":1}'];

describe(PubSub.name, () => {
  let redis: Redis;
  let metrics: Metrics;
  let sut: PubSub;
  let prefix: string;
  let complaint: ReturnType<typeof jest.spyOn>;
  const failures: unknown[] = [];
  const onFailure = (error: unknown) => void failures.push(error);

  beforeAll(() => {
    process.on('unhandledRejection', onFailure);
    redis = openRedis(testRedisUrl(), 'test');
  });
  afterAll(() => {
    process.off('unhandledRejection', onFailure);
    redis.disconnect();
  });

  beforeEach(() => {
    complaint = jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
    failures.length = 0;
    prefix = `test-${randomBytes(6).toString('hex')}`;
    metrics = new Metrics();
    const options = { url: testRedisUrl(), prefix };
    sut = new PubSub(options, redis, new UnreadableMessages(metrics));
  });
  afterEach(async () => {
    await sut.onApplicationShutdown();
    complaint.mockRestore();
  });

  const publish = (text: string) => redis.publish(`${prefix}:message:numbers`, text);

  it('drops, counts and logs an unreadable message, and receives the next one', async () => {
    const heard: number[] = [];
    sut.onMessage(topic, async ({ number }) => void heard.push(number));
    await eventually(async () => expect(await publish('no JSON')).toBe(1));
    for (const text of UNREADABLE) await publish(text);
    // Of the previous release, which wrote no version; and of a later one that says more.
    await publish('{"number":1}');
    await publish('{"v":1,"number":2,"more":true}');
    await eventually(() => expect(heard).toEqual([1, 2]));
    expect(await metrics.read()).toContain(
      `carillon_unreadable_total{source="numbers"} ${UNREADABLE.length + 1}`,
    );
    expect(complaint).toHaveBeenCalledTimes(1);
    expect(failures).toEqual([]);
  });

  it('continues after a failed callback', async () => {
    const heard: number[] = [];
    sut.onMessage(topic, async ({ number }) => {
      if (number === 1) throw new Error('a defect');
      heard.push(number);
    });
    await eventually(async () => expect(await sut.publish(topic, { v: 1, number: 1 })).toBe(1));
    await sut.publish(topic, { v: 1, number: 2 });
    await eventually(() => expect(heard).toEqual([2]));
    expect(failures).toEqual([]);
  });

  it('receives messages of all its topics again after a lost connection', async () => {
    const proxy = await startTcpProxy(testRedisUrl());
    const options = { url: proxy.url, prefix };
    const broken = new PubSub(options, redis, new UnreadableMessages(new Metrics()));
    const heard: number[] = [];
    broken.onMessage(topic, async ({ number }) => void heard.push(number));
    const subscription = await broken.subscribe({ ...topic, name: 'others' });
    await proxy.close();
    await proxy.reopen();
    await eventually(async () => expect(await sut.publish(topic, { v: 1, number: 1 })).toBe(1));
    await sut.publish({ ...topic, name: 'others' }, { v: 1, number: 2 });
    expect(await subscription.receive(1, 5000)).toEqual([{ v: 1, number: 2 }]);
    await eventually(() => expect(heard).toEqual([1]));
    expect(failures).toEqual([]);
    await broken.onApplicationShutdown();
    await proxy.close();
  });

  it('does not receive unreadable messages', async () => {
    const subscription = await sut.subscribe(topic);
    await publish('{}');
    await sut.publish(topic, { v: 1, number: 3 });
    expect(await subscription.receive(1, 5000)).toEqual([{ v: 1, number: 3 }]);
    subscription.close();
  });
});
