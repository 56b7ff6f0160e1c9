import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from '@jest/globals';
import pLimit from 'p-limit';
import type { PushTransport } from '#push/providers';
import type { FakeProvider } from '#test/fake-provider';
import { eventually } from '#test/eventually';
import { LoggingProxy } from '#test/logging-proxy';
import { accepted, type Case, type TransportWorld } from './push-transport.world.js';

const DEADLINE_MS = 3000;
const credentials = 'carillon:a pass:word é';
const page = '<html><body>The proxy says no</body></html>';

const fault = { kind: 'unanswered', reason: 'proxy' };

/** A transport of the driver to a provider, by a proxy; both end with the case. */
async function behindProxy(
  world: TransportWorld,
  provider: Parameters<TransportWorld['provider']>[0] = {},
): Promise<{ proxy: LoggingProxy; provider: FakeProvider; sut: PushTransport }> {
  const proxy = await LoggingProxy.start({ credentials });
  world.closeLater(() => proxy.stop());
  const started = await world.provider(provider);
  const sut = world.open({
    port: started.port,
    deadlineMs: DEADLINE_MS,
    proxy: proxy.client(),
  });
  return { proxy, provider: started, sut };
}

/** A token endpoint of Google; `ports` are those of its clients. */
async function tokenEndpoint(world: TransportWorld) {
  const ports: (number | undefined)[] = [];
  const server = createServer(world.sandbox.server, (request, response) => {
    ports.push(request.socket.remotePort);
    response.end(JSON.stringify({ access_token: 'token', expires_in: 3600 }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  world.closeLater(async () => {
    server.closeAllConnections();
    await once(server.close(), 'close');
  });
  const { port } = server.address() as AddressInfo; // A server on TCP has an address of this shape.
  return { url: `https://127.0.0.1:${port}/token`, ports };
}

/** Cases of an outbound proxy. */
export const proxies = {
  'sends through a proxy, and makes no connection around it': async (world) => {
    const proxy = await LoggingProxy.start({ credentials });
    world.closeLater(() => proxy.stop());
    const provider = await world.provider();
    const endpoint = await tokenEndpoint(world);
    const account = { ...world.sandbox.fcm.account, tokenUri: endpoint.url };
    const sut = world.driver.open(
      { ...world.sandbox, fcm: { ...world.sandbox.fcm, account } },
      { port: provider.port, proxy: proxy.client() },
    );
    world.closeLater(() => sut.close());
    const pushes = world.pushes(30);
    expect(await pLimit(8).map(pushes, (push) => sut.send(push))).toEqual(
      pushes.map(() => accepted),
    );
    const seen = [
      ...provider.connections.map(({ socket }) => socket.remotePort),
      ...endpoint.ports,
    ];
    expect(seen.length).toBe(proxy.ports.size);
    expect(proxy.ports).toEqual(new Set(seen));
    expect(endpoint.ports).toHaveLength(world.driver.platform === 'fcm' ? 1 : 0);
  },

  'signs in with a certificate in the tunnel of a proxy': async (world) => {
    const { cert: certificate, key } = world.sandbox.server;
    const proxy = await LoggingProxy.start();
    world.closeLater(() => proxy.stop());
    const provider = await world.provider({ requestCert: true });
    const credential = { kind: 'certificate', certificate, key } as const;
    const apns = { ...world.sandbox.apns, credential };
    const options = { port: provider.port, proxy: proxy.client() };
    const sut = world.driver.open({ ...world.sandbox, apns }, options);
    world.closeLater(() => sut.close());
    expect(await sut.send(world.push())).toEqual(accepted);
    expect(provider.requests[0]?.connection.clientCertificate).toContain('CERTIFICATE');
    expect(proxy.requests).toHaveLength(1);
  },

  'trusts no other authority in the tunnel of a proxy': async (world) => {
    const { proxy, provider } = await behindProxy(world);
    const untrusting = { port: provider.port, proxy: proxy.client() };
    const sut = world.driver.open(
      {
        ...world.sandbox,
        apns: { ...world.sandbox.apns, certificateAuthority: undefined },
        fcm: { ...world.sandbox.fcm, certificateAuthority: undefined },
      },
      { ...untrusting, deadlineMs: DEADLINE_MS },
    );
    world.closeLater(() => sut.close());
    expect(await sut.send(world.push())).toMatchObject({ kind: 'unanswered' });
    expect(provider.requests).toEqual([]);
  },

  'takes no answer of a proxy for one of the provider': async (world) => {
    const { proxy, provider } = await behindProxy(world);
    for (const status of [301, 400, 403, 404, 410, 429, 500, 503]) {
      proxy.answer = { kind: 'refusal', status, body: page };
      const sut = world.open({
        port: provider.port,
        deadlineMs: DEADLINE_MS,
        proxy: proxy.client(),
      });
      expect(await sut.send(world.push())).toMatchObject(fault);
    }
    expect(provider.requests).toEqual([]);
  },

  'reports a proxy that refuses the sign-in as a wrong configuration': async (world) => {
    const { proxy, provider, sut } = await behindProxy(world);
    proxy.answer = { kind: 'refusal', status: 407, body: page };
    expect(await sut.send(world.push())).toEqual({ kind: 'misconfigured', reason: 'proxy' });
    expect(provider.requests).toEqual([]);
  },

  'takes a page in place of the tunnel for no answer': async (world) => {
    const { proxy, provider, sut } = await behindProxy(world);
    proxy.answer = { kind: 'page', text: `HTTP/1.1 410 Gone\r\n\r\n${page}` };
    expect(await sut.send(world.push())).toMatchObject({ kind: 'unanswered' });
    expect(provider.requests).toEqual([]);
  },

  'gives up a silent proxy by the deadline, and leaves no connection': async (world) => {
    const { proxy, sut } = await behindProxy(world);
    proxy.answer = { kind: 'silence' };
    const startedAt = performance.now();
    expect(await sut.send(world.push())).toMatchObject({ kind: 'unanswered' });
    expect(performance.now() - startedAt).toBeLessThan(DEADLINE_MS + 2000);
    await eventually(() => expect(proxy.openSockets).toBe(0));
  },

  'does not go around a proxy that is gone, and sends again when it is back': async (world) => {
    const { proxy, provider, sut } = await behindProxy(world);
    const gone = world.open({
      port: provider.port,
      deadlineMs: DEADLINE_MS,
      proxy: proxy.client({ port: 9 }),
    });
    expect(await gone.send(world.push())).toMatchObject(fault);
    expect(provider.requests).toEqual([]);
    proxy.answer = { kind: 'refusal', status: 503, body: page };
    expect(await sut.send(world.push())).toMatchObject(fault);
    proxy.answer = { kind: 'tunnel' };
    await eventually(async () => expect(await sut.send(world.push())).toEqual(accepted));
  },

  'goes around the proxy to an exempt server': async (world) => {
    const proxy = await LoggingProxy.start();
    world.closeLater(() => proxy.stop());
    const sut = world.open({ proxy: proxy.client({ isExempt: () => true }) });
    expect(await sut.send(world.push())).toEqual(accepted);
    expect(proxy.requests).toEqual([]);
  },

  'ends its tunnels when it is closed': async (world) => {
    const { proxy, sut } = await behindProxy(world);
    expect(await sut.send(world.push())).toEqual(accepted);
    await sut.close();
    await eventually(() => expect(proxy.openSockets).toBe(0));
    await delay(50);
    expect(proxy.openSockets).toBe(0);
  },
} satisfies Record<string, Case>;
