import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { openRedisServers, type RedisServers } from './redis-servers.js';

/** The words of ioredis, which depend on how far an attempt to connect has come. */
const NOBODY_THERE = /enableOfflineQueue options is false|Connection is closed/;

/** The address of a server that is gone. */
async function deadUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // It listens on TCP.
  await once(server.close(), 'close');
  return `redis://127.0.0.1:${port}`;
}

describe(openRedisServers.name, () => {
  let sut: RedisServers;

  beforeEach(() => {
    Logger.overrideLogger(false);
  });

  afterEach(() => sut.close());

  it('connects to a single server for one URL', async () => {
    sut = openRedisServers([await deadUrl()], 'test');
    expect(sut.isCluster).toBe(false);
  });

  describe.each([
    ['a single server', 1],
    ['a cluster', 3],
  ])('with %s that is down', (_, count) => {
    beforeEach(async () => {
      const urls = await Promise.all(Array.from({ length: count }, deadUrl));
      sut = openRedisServers(urls, 'test');
    });

    it('fails a command at once', async () => {
      await expect(sut.commands.exists('key')).rejects.toThrow(NOBODY_THERE);
    });

    it('opens no blocking connection', async () => {
      const connection = sut.blockingConnectionFor('key');
      const lent = connection.run((redis) => redis.ping());
      await expect(lent).rejects.toThrow(NOBODY_THERE);
      await connection.close();
    });

    it('is not ready', async () => {
      await expect(sut.untilReady(10)).rejects.toThrow('Redis does not answer');
    });
  });
});
