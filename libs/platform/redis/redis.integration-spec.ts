import { afterEach, describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { startBlackHoleProxy } from '#test/black-hole-proxy';
import { eventually } from '#test/eventually';
import { testRedisUrl } from '#test/test-stores';
import { closeRedis, openQueueingRedis, openRedis, untilReady } from './redis.js';

const CONNECT_MS = 5000;
const undoing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const undo of undoing.splice(0).toReversed()) await undo();
});

/** A connection whose path loses all packets after the first command; a new connection has a new path. */
async function losePathOf(open: (url: string) => Redis): Promise<Redis> {
  const url = new URL(testRedisUrl());
  const proxy = await startBlackHoleProxy(Number(url.port));
  undoing.push(() => proxy.stop());
  url.port = String(proxy.port);
  const redis = open(url.href);
  undoing.push(() => closeRedis(redis));
  await untilReady(redis, CONNECT_MS);
  await redis.ping();
  proxy.dropPackets();
  return redis;
}

describe('A connection whose path is lost while it stays open', () => {
  it('is replaced after two seconds', async () => {
    const redis = await losePathOf((url) => openRedis(url, 'lost path'));
    await expect(redis.ping()).rejects.toThrow('timed out');
    await eventually(async () => expect(await redis.ping()).toBe('PONG'));
  });

  it('answers commands of queues again', async () => {
    const redis = await losePathOf((url) => openQueueingRedis(url, 'lost path', () => 100));
    expect(await redis.ping()).toBe('PONG');
  });
});
