import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, type Socket } from 'node:net';
import type { Server } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { requestErrors } from '#platform/contracts';
import { boundedServers, brokenRequestError, defaultConnectionLimits } from './connections.js';

describe(brokenRequestError.name, () => {
  it.each([
    ['ERR_HTTP_REQUEST_TIMEOUT', requestErrors.requestTimedOut],
    ['HPE_INVALID_METHOD', requestErrors.malformedRequest],
  ])('has an error for %s', (code, error) => {
    expect(brokenRequestError(Object.assign(new Error(), { code })).error).toBe(error);
  });
});

describe(boundedServers.name, () => {
  const servers: Server[] = [];
  const sockets: Socket[] = [];

  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    for (const server of servers.splice(0)) server.close();
  });

  async function start(
    limits: Partial<typeof defaultConnectionLimits>,
    trusted: readonly string[] = [],
  ): Promise<number> {
    const serverFor = boundedServers({ ...defaultConnectionLimits, ...limits }, trusted);
    const server = serverFor((_request, response) => void response.end('here'));
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port; // It listens on TCP.
  }

  /** Whether a new connection is served; it is kept open. */
  async function isServed(port: number, localAddress = '127.0.0.1'): Promise<boolean> {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.write('GET / HTTP/1.1\r\nHost: edge\r\n\r\n');
    return Promise.race([
      once(socket, 'data').then(() => true),
      once(socket, 'close').then(() => false),
    ]);
  }

  it('limits the connections of one address only', async () => {
    const port = await start({ maxConnectionsPerAddress: 2 });
    expect([await isServed(port), await isServed(port), await isServed(port)]).toEqual([
      true,
      true,
      false,
    ]);
    expect(await isServed(port, '127.0.0.2')).toBe(true);
  });

  it('accepts a connection after another one has ended', async () => {
    const port = await start({ maxConnectionsPerAddress: 1 });
    expect(await isServed(port)).toBe(true);
    const [first] = sockets;
    first?.destroy();
    while (!(await isServed(port)));
    expect(await isServed(port)).toBe(false);
  });

  it('does not limit a trusted proxy', async () => {
    const port = await start({ maxConnectionsPerAddress: 1 }, ['127.0.0.0/31']);
    expect([await isServed(port), await isServed(port), await isServed(port)]).toEqual([
      true,
      true,
      true,
    ]);
    expect(await isServed(port, '127.0.0.2')).toBe(true);
    expect(await isServed(port, '127.0.0.2')).toBe(false);
  });

  it('limits all connections together', async () => {
    const port = await start({ maxConnections: 2 }, ['127.0.0.1']);
    expect([await isServed(port), await isServed(port), await isServed(port)]).toEqual([
      true,
      true,
      false,
    ]);
  });
});
