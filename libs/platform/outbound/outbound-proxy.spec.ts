import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { LoggingProxy } from '#test/logging-proxy';
import { OutboundProxy } from './outbound-proxy.js';

const servers: Server[] = [];
const proxies: LoggingProxy[] = [];

afterEach(async () => {
  await Promise.all(proxies.splice(0).map((proxy) => proxy.stop()));
  for (const server of servers.splice(0)) server.close();
});

/** A server on TCP; resolves with its port. */
async function serve(onConnection: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port; // A server on TCP has an address of this shape.
}

async function startProxy(...options: Parameters<typeof LoggingProxy.start>) {
  const proxy = await LoggingProxy.start(...options);
  proxies.push(proxy);
  return proxy;
}

const never = new AbortController().signal;

describe(OutboundProxy.name, () => {
  it('opens a tunnel that passes bytes on in both directions', async () => {
    const echo = await serve((socket) => void socket.pipe(socket));
    const proxy = await startProxy({ credentials: 'user:a:b é' });
    const socket = await proxy.client().connect('some.test', echo, never);
    socket.end('hello');
    expect(String(await socket.reduce((text, part) => text + String(part), ''))).toBe('hello');
    const authority = `some.test:${echo}`;
    expect(proxy.requests).toMatchObject([{ authority, host: authority }]);
  });

  it('names an IPv6 server in brackets', async () => {
    const echo = await serve((socket) => void socket.pipe(socket));
    const proxy = await startProxy();
    (await proxy.client().connect('::1', echo, never)).destroy();
    expect(proxy.requests[0]?.authority).toBe(`[::1]:${echo}`);
  });

  it('loses no byte that comes with the answer of the proxy', async () => {
    const port = await serve((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\n\r\nfirst bytes'));
    });
    const sut = clientOf(port);
    const socket = await sut.connect('a.test', 443, never);
    expect(String(await socket.reduce((text, part) => text + String(part), ''))).toBe(
      'first bytes',
    );
  });

  it.each([
    ['a wrong password', 'user:wrong'],
    ['no password', null],
  ])('knows the refusal of %s', async (_, credentials) => {
    const proxy = await startProxy({ credentials: 'user:secret' });
    const connecting = proxy.client({ credentials }).connect('a.test', 443, never);
    await expect(connecting).rejects.toMatchObject({
      name: 'ProxyFault',
      isSignInRefused: true,
      message: `the proxy 127.0.0.1:${proxy.port} answered 407`,
    });
  });

  it.each([
    ['an answer that is not HTTP', 'SSH-2.0-OpenSSH_9.9\r\n', 'HPE_INVALID_CONSTANT'],
    ['no answer', '', 'ECONNRESET'],
    ['an endless header', `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}`, 'HPE_HEADER_OVERFLOW'],
  ])('rejects for %s', async (_, text, code) => {
    const port = await serve((socket) => void socket.once('data', () => socket.end(text)));
    const connecting = clientOf(port, 'user:secret').connect('a.test', 443, never);
    await expect(connecting).rejects.toMatchObject({
      isSignInRefused: false,
      message: `the proxy 127.0.0.1:${port}: ${code}`,
    });
  });

  it('gives up when it is told to, and ends its connection', async () => {
    const proxy = await startProxy();
    proxy.answer = { kind: 'silence' };
    const abort = new AbortController();
    const connecting = proxy.client().connect('a.test', 443, abort.signal);
    setTimeout(() => abort.abort(), 50);
    await expect(connecting).rejects.toMatchObject({ isSignInRefused: false });
    await expect(proxy.client().connect('a.test', 443, abort.signal)).rejects.toMatchObject({
      name: 'ProxyFault',
    });
    while (proxy.openSockets > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  });

  const clientOf = (port: number, credentials: string | null = null) =>
    new OutboundProxy({
      isTls: false,
      host: '127.0.0.1',
      port,
      credentials,
      isExempt: () => false,
    });
});
