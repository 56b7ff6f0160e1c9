import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { lookUpAs, type OutboundFetch, outboundFetch } from '#platform/outbound';
import { makeServerIdentity } from '../../apps/push-sandbox/src/credentials/certificate-authority.js';
import { LoggingProxy } from '#test/logging-proxy';

/** A name that only the proxy resolves: whatever goes around the proxy, fails. */
const HOST = 'server.test';

const listening = async (server: Server): Promise<number> => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port; // A server on TCP has an address of this shape.
};

describe(outboundFetch.name, () => {
  let answer: RequestListener;
  let identity: Awaited<ReturnType<typeof makeServerIdentity>>;
  let servers: Server[];
  let proxy: LoggingProxy;
  let plain: string;
  let encrypted: string;

  beforeAll(async () => {
    identity = await makeServerIdentity(new Date(), HOST);
    const take: RequestListener = (request, response) => answer(request, response);
    servers = [
      createServer(take),
      createTlsServer({ key: identity.key, cert: identity.certificate }, take),
    ];
    const [plainPort, tlsPort] = await Promise.all(servers.map(listening));
    plain = `http://${HOST}:${plainPort}/a?b=c`;
    encrypted = `https://${HOST}:${tlsPort}/a?b=c`;
  });
  afterAll(() => {
    for (const server of servers) server.close();
  });
  beforeEach(async () => {
    answer = (_request, response) => void response.end('hello');
    proxy = await LoggingProxy.start({ credentials: 'ada:secret' });
  });
  afterEach(() => proxy.stop());

  const through = (changes: Parameters<LoggingProxy['client']>[0] = {}): OutboundFetch =>
    outboundFetch(proxy.client(changes), { ca: identity.authority });
  const asked = () => proxy.requests.map(({ authority }) => `${authority}`);

  it.each(['plain', 'encrypted'])('sends through the proxy, in a tunnel: %s', async (kind) => {
    const url = kind === 'plain' ? plain : encrypted;
    const seen: unknown[] = [];
    answer = async (request, response) => {
      const { method, url: path, headers } = request;
      seen.push(method, path, headers.host, headers['content-type'], await text(request));
      response.writeHead(418, { 'retry-after': '7' }).end('no coffee');
    };
    const body = new URLSearchParams({ é: '1' });
    const response = await through()(url, { method: 'POST', body });
    expect([response.status, response.headers.get('retry-after')]).toEqual([418, '7']);
    expect(await response.text()).toBe('no coffee');
    const { host } = new URL(url);
    const form = 'application/x-www-form-urlencoded;charset=UTF-8';
    expect(seen).toEqual(['POST', '/a?b=c', host, form, '%C3%A9=1']);
    expect(asked()).toEqual([host]);
  });

  it('keeps its connection, and so its tunnel', async () => {
    const sut = through();
    expect(await (await sut(encrypted)).text()).toBe('hello');
    expect(await (await sut(encrypted)).text()).toBe('hello');
    expect(asked()).toHaveLength(1);
  });

  it.each(['plain', 'encrypted'])('never takes the answer of a proxy: %s', async (kind) => {
    const url = kind === 'plain' ? plain : encrypted;
    proxy.answer = { kind: 'refusal', status: 404, body: '<h1>Not found</h1>' };
    const fault = { name: 'ProxyFault', isSignInRefused: false };
    await expect(through()(url)).rejects.toMatchObject(fault);
  });

  it('takes no page inside of an encrypted tunnel either', async () => {
    proxy.answer = { kind: 'page', text: 'HTTP/1.1 200 OK\r\n\r\n{"result":"success"}' };
    await expect(through()(encrypted)).rejects.toMatchObject({ code: expect.any(String) });
  });

  it('knows that the proxy refuses the sign-in', async () => {
    const fault = { name: 'ProxyFault', isSignInRefused: true };
    await expect(through({ credentials: 'ada:no' })(encrypted)).rejects.toMatchObject(fault);
  });

  it('goes to an exempt server directly, at the address that it looks up', async () => {
    const lookup = lookUpAs([{ address: '127.0.0.1', family: 4 }]);
    const isExempt = (host: string) => host === HOST;
    const sut = outboundFetch(proxy.client({ isExempt }), { ca: identity.authority, lookup });
    expect(await (await sut(plain)).text()).toBe('hello');
    expect(await (await sut(encrypted)).text()).toBe('hello');
    expect(asked()).toEqual([]);
  });

  it('trusts no other authority', async () => {
    const sut = outboundFetch(proxy.client());
    await expect(sut(encrypted)).rejects.toMatchObject({
      code: expect.stringMatching(/CERT|UNABLE_TO_VERIFY/),
    });
  });

  it('follows no redirect', async () => {
    answer = (_request, response) => void response.writeHead(302, { location: '/b' }).end();
    expect((await through()(plain)).status).toBe(302);
  });

  it('answers a success without a body', async () => {
    answer = (_request, response) => void response.writeHead(204).end();
    const { status, body } = await through()(plain);
    expect([status, body]).toEqual([204, null]);
  });

  it('rejects for a status that does not exist', async () => {
    answer = (_request, response) => void response.writeHead(999).end();
    await expect(through()(plain)).rejects.toThrow('status');
  });

  it('gives up a silent proxy by the deadline, and leaves no connection', async () => {
    proxy.answer = { kind: 'silence' };
    await expect(through()(encrypted, { signal: AbortSignal.timeout(100) })).rejects.toMatchObject({
      name: expect.stringMatching(/^(TimeoutError|AbortError|ProxyFault)$/),
    });
    while (proxy.openSockets > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  });

  it('ends with its deadline while the answer comes slowly', async () => {
    answer = (_request, response) => void response.write('a');
    const response = await through()(plain, { signal: AbortSignal.timeout(200) });
    await expect(response.text()).rejects.toThrow('aborted');
    while (proxy.openSockets > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  });
});
