import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { closeRedis, openRedis, untilReady } from './redis.js';

/** Takes connections and never answers. */
async function startSilentServer(): Promise<{ server: Server; url: string; sockets: Socket[] }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // It listens on TCP.
  return { server, url: `redis://127.0.0.1:${port}`, sockets };
}

describe(openRedis.name, () => {
  let silent: Awaited<ReturnType<typeof startSilentServer>>;

  beforeEach(async () => {
    Logger.overrideLogger(false);
    silent = await startSilentServer();
  });

  afterEach(async () => {
    for (const socket of silent.sockets) socket.destroy();
    if (silent.server.listening) await once(silent.server.close(), 'close');
  });

  it('fails a command at once while there is no connection', async () => {
    const sut = openRedis(silent.url, 'test');
    await expect(sut.get('key')).rejects.toThrow("Stream isn't writeable");
    await closeRedis(sut);
  });

  it('goes on trying when its server is away', async () => {
    silent.server.close();
    const sut = openRedis(silent.url, 'test');
    await once(sut, 'reconnecting');
    await once(sut, 'reconnecting');
    await closeRedis(sut);
    expect(sut.status).toBe('end');
  });

  it('is not ready while the server is silent', async () => {
    const sut = openRedis(silent.url, 'test');
    await once(sut, 'connect');
    await expect(untilReady(sut, 10)).rejects.toThrow('Redis does not answer');
    await closeRedis(sut);
  });
});
