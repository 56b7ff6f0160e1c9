import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { createFakeServer } from '#test/fake-server';
import { closeRedis, openRedis, orOutage, untilReady } from './redis.js';

/** Takes connections and never answers. */
async function startSilentServer(): Promise<{ server: Server; url: string; sockets: Socket[] }> {
  const sockets: Socket[] = [];
  const server = createFakeServer((socket) => sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // It listens on TCP.
  return { server, url: `redis://127.0.0.1:${port}`, sockets };
}

describe(openRedis.name, () => {
  let silent: Awaited<ReturnType<typeof startSilentServer>>;
  let sut: Redis;

  beforeEach(async () => {
    Logger.overrideLogger(false);
    silent = await startSilentServer();
  });

  afterEach(async () => {
    await closeRedis(sut);
    for (const socket of silent.sockets) socket.destroy();
    if (silent.server.listening) await once(silent.server.close(), 'close');
  });

  it('fails a command at once without a connection', async () => {
    sut = openRedis(silent.url, 'test');
    await expect(sut.get('key')).rejects.toThrow("Stream isn't writeable");
  });

  it('reconnects while its server is down', async () => {
    silent.server.close();
    sut = openRedis(silent.url, 'test');
    for (let tries = 0; tries < 3; tries += 1) {
      await new Promise((resolve) => sut.once('reconnecting', resolve));
    }
    await expect(sut.get('key')).rejects.toThrow("Stream isn't writeable");
    await expect(orOutage(sut, sut.get('key'))).rejects.toThrow('ECONNREFUSED');
  });

  it('is not ready while the server does not answer', async () => {
    sut = openRedis(silent.url, 'test');
    await once(sut, 'connect');
    await expect(untilReady(sut, 10)).rejects.toThrow('Redis does not answer');
  });
});
