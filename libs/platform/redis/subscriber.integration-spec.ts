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
import { closeRedis, openRedis, type Redis, Subscriber, untilReady } from '#platform/redis';
import { eventually } from '#test/eventually';
import { startTcpProxy, type TcpProxy } from '#test/tcp-proxy';
import { testRedisUrl } from '#test/test-stores';

describe(Subscriber.name, () => {
  const failures: unknown[] = [];
  const onFailure = (error: unknown) => void failures.push(error);
  let proxy: TcpProxy;
  let publisher: Redis;
  let redis: Redis;
  let connection: Redis;
  let channel: string;
  let received: string[];
  let sut: Subscriber;

  /** Publishes until a message arrives. */
  const untilReceived = (text: string) =>
    eventually(async () => {
      await publisher.publish(channel, text);
      expect(received).toContain(text);
    });

  beforeAll(async () => {
    process.on('unhandledRejection', onFailure);
    publisher = openRedis(testRedisUrl(), 'test');
    await untilReady(publisher, 5000);
  });

  afterAll(async () => {
    process.off('unhandledRejection', onFailure);
    await closeRedis(publisher);
  });

  beforeEach(async () => {
    failures.length = 0;
    received = [];
    channel = `test:subscriber:${Math.random()}`;
    proxy = await startTcpProxy(testRedisUrl());
    redis = openRedis(proxy.url, 'test');
    const duplicate = redis.duplicate.bind(redis);
    redis.duplicate = (options) => (connection = duplicate(options));
    sut = new Subscriber(redis);
    sut.onMessage(channel, (text) => void received.push(text));
  });

  afterEach(async () => {
    await sut.onApplicationShutdown();
    await closeRedis(redis);
    await proxy.close();
  });

  it('receives messages again after a lost connection', async () => {
    await untilReceived('before');
    await proxy.close();
    await proxy.reopen();
    await untilReceived('after');
    expect(failures).toEqual([]);
  });

  it('returns the time since which it has received every message', async () => {
    await untilReceived('before');
    const first = sut.receivingSince;
    expect(first).toBeLessThanOrEqual(performance.now());
    await proxy.close();
    await eventually(() => expect(sut.receivingSince).toBe(Number.POSITIVE_INFINITY));
    const lostAt = performance.now();
    await proxy.reopen();
    await untilReceived('after');
    expect(sut.receivingSince).toBeGreaterThan(lostAt);
    expect(sut.receivingSince).toBeLessThanOrEqual(performance.now());
  });

  it('receives every message again after a subscription that took too long', async () => {
    await untilReceived('before');
    const subscribe = jest.spyOn(connection, 'subscribe');
    connection.disconnect(true);
    // Redis executes the command, but its answer comes too late.
    connection.once('ready', () => proxy.stall());
    await eventually(() => expect(subscribe).toHaveBeenCalledTimes(1));
    await expect(subscribe.mock.results[0]?.value).rejects.toThrow('Command timed out');
    proxy.resume();
    await eventually(() => expect(sut.receivingSince).toBeLessThan(Number.POSITIVE_INFINITY));
    await untilReceived('after');
  });

  it('drops a message whose listener throws', async () => {
    const log = jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
    sut.onMessage(channel, (text) => void received.push(String(JSON.parse(text))));
    await eventually(async () => expect(await publisher.publish(channel, 'no JSON')).toBe(1));
    await publisher.publish(channel, '"next"');
    await eventually(() => expect(received).toEqual(['next']));
    expect(log).toHaveBeenCalledTimes(1);
    log.mockRestore();
  });

  it('survives a connection that is lost while it subscribes again', async () => {
    await untilReceived('before');
    connection.disconnect(true);
    await once(connection, 'ready');
    connection.disconnect(true);
    await untilReceived('after');
    expect(failures).toEqual([]);
  });
});
